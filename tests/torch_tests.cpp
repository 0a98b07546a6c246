// Holds the precompiled header that the tests of modules with LibTorch share; see CMakeLists.txt.
