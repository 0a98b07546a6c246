#include "generator/update.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "generator/new_project.h"
#include "tests/generator/support.h"

namespace generator {
namespace {

namespace fs = std::filesystem;

std::string lines(const std::string& start) {
  std::string text;
  for (int i = 1; i <= 12; ++i) text += start + " line " + std::to_string(i) + "\n";
  return text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

const std::map<std::string, std::string> kOld{{"edited.txt", lines("edited")},
                                              {"deleted.txt", lines("deleted")},
                                              {"renamed.txt", lines("renamed")},
                                              {"untouched.txt", lines("untouched")},
                                              {"dropped.txt", lines("dropped")},
                                              {"same.txt", lines("same")},
                                              {"run.sh", "#!/bin/sh\necho <% if cuda %>gpu<% else %>cpu<% endif %>\n"}};

std::map<std::string, std::string> newer() {
  std::map<std::string, std::string> files = kOld;
  files["edited.txt"] = replaced(files["edited.txt"], "line 12", "line twelve");
  files["renamed.txt"] = replaced(files["renamed.txt"], "line 12", "line twelve");
  files["untouched.txt"] = replaced(files["untouched.txt"], "line 5", "line five");
  files["added.txt"] = "added by both\n";
  files["new.txt"] = "new\n";
  files.erase("dropped.txt");
  return files;
}

/// A template set in two versions, a project made by the first, and the repository around it.
class Update : public testing::Test {
 protected:
  void write_set(const std::map<std::string, std::string>& files, const std::string& version) {
    fs::remove_all(set());
    std::string rules;
    for (const auto& [path, text] : files) {
      base::write_file(set() / path, text);
      rules += (rules.empty() ? "" : ",\n") + std::string("{\"from\": \"") + path + "\"}";
    }
    base::write_file(
        set() / "template.json",
        index_of(R"({"key": "cuda", "kind": "bool", "text": "GPU", "default": false})", rules, "", version));
  }

  void make_project(const std::string& folder = "demo") {
    write_set(kOld, "1");
    root_ = folder_ / folder;
    new_project({.name = "demo", .folder = root_.string(), .templates = set().string()}, nullptr);
  }

  /// The five ways in which authors change a project.
  void edit() {
    edit_file("edited.txt", "line 1\n", "line one\n");
    fs::remove(root_ / "deleted.txt");
    fs::rename(root_ / "renamed.txt", root_ / "other.txt");
    base::write_file(root_ / "added.txt", "added by both\n");
  }

  void edit_file(const std::string& path, const std::string& from, const std::string& to) {
    base::write_file(root_ / path, replaced(base::contents_of(root_ / path), from, to));
  }

  /// Expects conflicts only where they are announced.
  std::string update(const UpdateOptions& options = {}) {
    const UpdateResult result = update_project(root_, options);
    EXPECT_EQ(result.exit_code, result.text.find(": conflict: ") != std::string::npos ? 2 : 0);
    return result.text;
  }

  /// The files without scaffold's own.
  std::map<std::string, std::string> tree() const { return without_record(tree_of(root_)); }
  static std::map<std::string, std::string> without_record(std::map<std::string, std::string> tree) {
    tree.erase(".scaffold.json");
    tree.erase(".scaffold.lock");
    return tree;
  }

  /// What `git merge` makes of the same three versions.
  std::map<std::string, std::string> merged_by_git(const std::map<std::string, std::string>& next) {
    const fs::path repository = folder_ / "merged";
    const auto fill = [&](const std::map<std::string, std::string>& files) {
      for (const auto& name : names_in(repository)) {
        if (name != ".git") fs::remove_all(repository / name);
      }
      for (const auto& [path, text] : files) {
        const bool is_executable = path.ends_with('*');
        const fs::path file = repository / (is_executable ? path.substr(0, path.size() - 1) : path);
        base::write_file(file, text);
        if (is_executable) fs::permissions(file, fs::perms::owner_all);
      }
    };
    fs::create_directories(repository);
    git(repository, {"init", "-q", "-b", "base"});
    fill(rendered_);
    commit(repository);
    git(repository, {"checkout", "-q", "-b", "templates"});
    fill(next);
    commit(repository);
    git(repository, {"checkout", "-q", "-b", "project", "base"});
    fill(tree());
    commit(repository);
    Git::find()->run(repository.string(),
                     {"-c", "user.name=T", "-c", "user.email=t@localhost", "merge", "-q", "templates"});
    std::map<std::string, std::string> tree = tree_of(repository);
    for (auto& [path, text] : tree) {
      if (text.find("<<<<<<< HEAD") != std::string::npos) text = replaced(text, "<<<<<<< HEAD", "<<<<<<< project");
    }
    return tree;
  }

  /// A rendering, as tree_of() would have it.
  static std::map<std::string, std::string> as_rendered(std::map<std::string, std::string> files) {
    files["run.sh*"] = "#!/bin/sh\necho cpu\n";
    files.erase("run.sh");
    return files;
  }

  fs::path set() const { return folder_ / "set"; }

  base::TemporaryFolder folder_;
  fs::path root_;
  const std::map<std::string, std::string> rendered_ = as_rendered(kOld);
};

TEST_F(Update, MergesAsGitWould) {
  make_project();
  edit();
  commit(root_);
  write_set(newer(), "2");
  const auto expected = merged_by_git(as_rendered(newer()));
  ASSERT_EQ(expected.at("edited.txt").find("<<<<"), std::string::npos);
  const std::string told = update();
  EXPECT_EQ(tree(), expected);
  EXPECT_FALSE(fs::exists(root_ / "deleted.txt"));
  EXPECT_NE(base::contents_of(root_ / "other.txt").find("renamed line twelve"), std::string::npos)
      << "through the new name";
  EXPECT_EQ(told,
            "both              added.txt\n"
            "edited            deleted.txt\n"
            "changed upstream  dropped.txt\n"
            "both              edited.txt\n"
            "changed upstream  new.txt\n"
            "both              renamed.txt\n"
            "untouched         run.sh\n"
            "untouched         same.txt\n"
            "changed upstream  untouched.txt\n"
            "Files changed: 5. `git status` and `git diff` show how, `git stash -u` takes it back.");
}

TEST_F(Update, TwiceChangesNothingTheSecondTime) {
  make_project();
  edit();
  commit(root_);
  write_set(newer(), "2");
  EXPECT_EQ(check_project(root_, {}).exit_code, 2);
  update();
  EXPECT_EQ(update(), "Up to date.") << "before it is committed";
  commit(root_);
  const auto before = tree_of(root_);
  EXPECT_EQ(update(), "Up to date.");
  EXPECT_EQ(tree_of(root_), before);
  EXPECT_EQ(git(root_, {"status", "--porcelain"}), "");
  EXPECT_EQ(check_project(root_, {}).exit_code, 0);
  EXPECT_EQ(diff_project(root_, {}), "");
}

TEST_F(Update, WritesConflictsAsGitWould) {
  make_project();
  edit_file("edited.txt", "line 12", "line XII");
  commit(root_);
  write_set(newer(), "2");
  const auto expected = merged_by_git(as_rendered(newer()));
  const std::string told = update();
  EXPECT_EQ(tree(), expected);
  EXPECT_NE(base::contents_of(root_ / "edited.txt")
                .find("<<<<<<< project\nedited line XII\n=======\nedited line twelve\n>>>>>>> templates\n"),
            std::string::npos);
  EXPECT_NE(told.find("edited.txt: conflict: both versions are in it, between <<<<<<< and >>>>>>>\n"),
            std::string::npos);
}

TEST_F(Update, CanPutConflictsBesideTheFile) {
  make_project();
  edit_file("edited.txt", "line 12", "line XII");
  commit(root_);
  const std::string mine = base::contents_of(root_ / "edited.txt");
  write_set(newer(), "2");
  const std::string told = update({.conflict = ConflictStyle::kReject});
  EXPECT_EQ(base::contents_of(root_ / "edited.txt"), mine);
  EXPECT_EQ(base::contents_of(root_ / "edited.txt.rej"),
            "--- edited.txt\n+++ edited.txt\n@@ -9,4 +9,4 @@ edited line 8\n edited line 9\n edited line 10\n edited "
            "line 11\n"
            "-edited line 12\n+edited line twelve\n");
  EXPECT_NE(told.find("edited.txt: conflict: the templates' change is in edited.txt.rej\n"), std::string::npos);
}

TEST_F(Update, AsksForConflictsUntilTheyAreSettled) {
  for (const auto style : {ConflictStyle::kInline, ConflictStyle::kReject}) {
    fs::remove_all(folder_ / "demo");
    make_project();
    fs::rename(root_ / "edited.txt", root_ / "mine.txt");
    edit_file("mine.txt", "line 12", "line XII");
    commit(root_);
    write_set(newer(), "2");
    update({.conflict = style});
    commit(root_);
    const std::string left = style == ConflictStyle::kInline ? "mine.txt" : "mine.txt.rej";
    const std::string told = "Up to date, but for conflicts of an update that are not settled yet:\n" + left;
    EXPECT_EQ(update_project(root_, {}).text, told);
    EXPECT_TRUE(check_project(root_, {}).text.ends_with(told)) << check_project(root_, {}).text;
    EXPECT_EQ(check_project(root_, {}).exit_code, 2);
    EXPECT_EQ(update_project(root_, {}).exit_code, 2);

    base::write_file(root_ / "mine.txt", lines("settled"));
    fs::remove(root_ / "mine.txt.rej");
    EXPECT_TRUE(check_project(root_, {}).text.ends_with("\nUp to date."));
    EXPECT_EQ(check_project(root_, {}).exit_code, 0);
  }
}

TEST_F(Update, LeavesDeletedFilesDeleted) {
  make_project();
  fs::remove(root_ / "edited.txt");
  commit(root_);
  write_set(newer(), "2");
  const std::string told = update();
  EXPECT_FALSE(fs::exists(root_ / "edited.txt"));
  EXPECT_NE(told.find("edited.txt: stays deleted\n"), std::string::npos);
}

TEST_F(Update, KeepsAnEditedFileThatTheTemplatesDropped) {
  make_project();
  edit_file("dropped.txt", "line 1\n", "line one\n");
  commit(root_);
  write_set(newer(), "2");
  const std::string told = update();
  EXPECT_TRUE(fs::exists(root_ / "dropped.txt"));
  EXPECT_NE(told.find("dropped.txt: stays, though the templates no longer have it\n"), std::string::npos);
}

TEST_F(Update, RendersAnewWithAnotherAnswer) {
  make_project();
  edit();
  commit(root_);
  EXPECT_EQ(check_project(root_, {}).exit_code, 0);
  EXPECT_EQ(check_project(root_, {.answers = {{"cuda", "yes"}}}).exit_code, 2);
  update({.answers = {{"cuda", "yes"}}});
  EXPECT_EQ(base::contents_of(root_ / "run.sh"), "#!/bin/sh\necho gpu\n");
  EXPECT_NE(fs::status(root_ / "run.sh").permissions() & fs::perms::owner_exec, fs::perms::none);
  EXPECT_NE(base::contents_of(root_ / ".scaffold.json").find("\"cuda\": true"), std::string::npos);
  commit(root_);
  EXPECT_EQ(update(), "Up to date.") << "the answer stays";
  EXPECT_EQ(complaint(base::ErrorKind::kUsage,
                      [&] {
                        update({.answers = {{"cdua", "yes"}}});
                      }),
            "usage error: unknown answer: cdua\n  fix: did you mean `cuda`?");
}

TEST_F(Update, WorksDeepInABiggerRepository) {
  git(folder_.path(), {"init", "-q"});
  folder_.write("unrelated.txt", "not committed");
  fs::create_directories(folder_ / "models");
  make_project("models/demo");
  EXPECT_FALSE(fs::exists(root_ / ".git"));
  git(folder_.path(), {"add", "models"});
  git(folder_.path(), {"commit", "-q", "-m", "project"});
  edit();
  git(folder_.path(), {"add", "--all", "models"});
  git(folder_.path(), {"commit", "-q", "-m", "edit"});
  write_set(newer(), "2");
  const auto expected = merged_by_git(as_rendered(newer()));
  fs::create_directory(root_ / "sub");
  update_project(root_ / "sub", {});
  EXPECT_EQ(tree(), expected);
  EXPECT_EQ(base::contents_of(folder_ / "unrelated.txt"), "not committed");
}

TEST_F(Update, IsNoStepBack) {
  root_ = folder_ / "demo";
  new_project({.name = "demo", .folder = root_.string(), .uses_git = false}, nullptr);
  const std::string record = base::contents_of(root_ / ".scaffold.json");
  const std::size_t start = record.find(": \"") + 3;
  const std::string own = record.substr(start, record.find('"', start) - start);
  EXPECT_EQ(check_project(root_, {}).exit_code, 0);
  edit_file(".scaffold.json", own, "99.0.0");
  const std::string refused =
      "usage error: the project was written by a newer scaffold: 99.0.0\n"
      "  fix: install that one; this is " +
      own;
  EXPECT_EQ(complaint(base::ErrorKind::kUsage, [&] { check_project(root_, {}); }), refused);
  EXPECT_EQ(complaint(base::ErrorKind::kUsage, [&] { update_project(root_, {}); }), refused);
  edit_file(".scaffold.json", "99.0.0", "0.0.1");
  EXPECT_EQ(check_project(root_, {}).exit_code, 2) << "an older one is what an update is for";
}

TEST_F(Update, RefusesToTouchWhatIsNotCommitted) {
  make_project();
  write_set(newer(), "2");
  edit_file("same.txt", "line 1\n", "line one\n");
  const auto before = tree_of(root_);
  const std::string fix = "\n  fix: commit or stash them, so that an update can be taken back";
  EXPECT_EQ(complaint(base::ErrorKind::kUsage, [&] { update(); }),
            "usage error: there are uncommitted changes: same.txt" + fix);
  EXPECT_EQ(tree_of(root_), before);
  commit(root_);
  base::write_file(root_ / "unknown.txt", "");
  EXPECT_EQ(complaint(base::ErrorKind::kUsage, [&] { update(); }),
            "usage error: there are uncommitted changes: unknown.txt" + fix);
}

TEST_F(Update, DoesNotOverwriteAFileThatGitIgnores) {
  make_project();
  base::write_file(root_ / ".gitignore", "new.txt\n");
  commit(root_);
  base::write_file(root_ / "new.txt", "precious\n");
  write_set(newer(), "2");
  EXPECT_EQ(complaint(base::ErrorKind::kUsage, [&] { update(); }),
            "usage error: a file that git ignores is in the way: new.txt\n  fix: move it away");
  EXPECT_EQ(base::contents_of(root_ / "new.txt"), "precious\n");
}

TEST_F(Update, NeedsARepository) {
  write_set(kOld, "1");
  root_ = folder_ / "demo";
  new_project({.name = "demo", .folder = root_.string(), .templates = set().string(), .uses_git = false}, nullptr);
  write_set(newer(), "2");
  EXPECT_EQ(check_project(root_, {}).exit_code, 2) << "this needs none";
  EXPECT_EQ(folder_.shorten(complaint(base::ErrorKind::kUsage, [&] { update(); })),
            "usage error: the project is in no git repository: demo\n  fix: git init && git add --all && git commit");
}

TEST_F(Update, LeavesNothingBehindInTheUsersRepository) {
  make_project();
  edit();
  commit(root_);
  const std::string objects = git(root_, {"count-objects", "-v"});
  const std::string refs = git(root_, {"for-each-ref"});
  write_set(newer(), "2");
  diff_project(root_, {});
  update();
  EXPECT_EQ(git(root_, {"count-objects", "-v"}), objects);
  EXPECT_EQ(git(root_, {"for-each-ref"}), refs);
}

TEST_F(Update, ShowsADiffWithoutMakingIt) {
  make_project();
  write_set(newer(), "2");
  const auto before = tree_of(root_);
  const std::string diff = diff_project(root_, {});
  EXPECT_NE(diff.find("--- a/untouched.txt\n+++ b/untouched.txt\n"), std::string::npos);
  EXPECT_NE(diff.find("-untouched line 5\n+untouched line five\n"), std::string::npos);
  EXPECT_EQ(tree_of(root_), before);
}

TEST_F(Update, DoesNotFollowALinkOutOfTheProject) {
  std::map<std::string, std::string> files = kOld;
  make_project();
  fs::create_directory(folder_ / "outside");
  fs::create_directory_symlink(folder_ / "outside", root_ / "sub");
  commit(root_);
  files["sub/file.txt"] = "template\n";
  write_set(files, "2");
  try {
    update();
  } catch (const base::Error&) {  // either refused, or put elsewhere as git does
  }
  EXPECT_TRUE(names_in(folder_ / "outside").empty());
}

}  // namespace
}  // namespace generator
