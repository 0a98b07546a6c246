"""Takes files out of Debian's archive, through the mirrors and the keys that this machine's apt is set up with."""
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

from conan.errors import ConanException
from conan.tools.files import rmdir, unzip

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
TIMEOUT = 10  # seconds without an answer

# Read after the system's own settings (so proxies hold): a mirror that hangs is given up, and no hook of the
# system's "apt-get update" runs for the private state folder.
APT_CONF = """\
Acquire::http::Timeout "%d";
Acquire::https::Timeout "%d";
Acquire::Retries "1";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
""" % (TIMEOUT, TIMEOUT)
APT_STATE = """\
Dir::State "{state}";
Dir::State::lists "{state}/lists";
Dir::State::status "/dev/null";
Dir::Cache "{state}/cache";
Dir::Cache::archives "{state}/cache/archives";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
Dir::Etc::sourcelist "{state}/suite.sources";
Dir::Etc::sourceparts "/dev/null";
"""
SUITE_SOURCES = """\
Types: deb
URIs: {mirror}
Suites: {suite}
Components: main
Targets: Packages
Languages: none
"""


def fetch(conanfile, sources):
    """Unpacks the first of `sources` (see conandata.yml) that can be had; returns the folder of its header."""
    mirrors, why = _mirrors(), []
    unpacked = os.path.join(os.getcwd(), "debian")
    for source in sources:
        what, get = ((f"{source['package']} of suite {source['suite']}", _from_suite) if "suite" in source else
                     (source["pool"], _from_pool))
        for mirror in list(mirrors):
            started = time.monotonic()
            rmdir(conanfile, unpacked)
            try:
                with tempfile.TemporaryDirectory() as scratch:
                    file = get(mirror, source, scratch)
                    if file.endswith(".deb"):
                        _run("dpkg-deb", "--extract", file, unpacked)
                    else:
                        unzip(conanfile, file, unpacked, strip_root=True)
                header = os.path.join(unpacked, source["header"])
                if not os.path.isfile(header):
                    raise ConanException(f"{os.path.basename(file)} has no {source['header']}")
            except ConanException as e:
                why.append(f"{what} from {mirror}: {e}")
                conanfile.output.info(f"not taken: {why[-1]}")
                if time.monotonic() - started > TIMEOUT:  # it hangs: not asked again, or each source would wait for it
                    mirrors.remove(mirror)
            else:
                conanfile.output.info(f"taken from Debian's archive: {os.path.basename(file)} "
                                      f"({'suite ' + source['suite'] if 'suite' in source else 'pinned'})")
                return os.path.dirname(header)
    raise ConanException("\n  ".join([
        f"{conanfile.ref} could not be had from any mirror of this machine's apt:", *(why or ["apt has no sources"]),
        "What to do: see that 'apt-get update' works here (sources, proxy) and try again, or, where ConanCenter is "
        "reachable, install without the Debian profile: the library then comes from there."]))


def _mirrors():
    # Not "apt-get indextargets": it knows nothing on a machine whose package lists were cleaned away.
    releases = re.findall(r"^'(.+?)/dists/(\S+)/InRelease'", _run("apt-get", "update", "--print-uris"), re.MULTILINE)
    return list(dict.fromkeys(mirror for mirror, suite in releases if "security" not in suite))


def _from_pool(mirror, source, scratch):
    conf, file = Path(scratch, "apt.conf"), Path(scratch, os.path.basename(source["pool"]))
    conf.write_text(APT_CONF)
    _run("/usr/lib/apt/apt-helper", "-c", conf, "download-file", f"{mirror}/{source['pool']}", file,
         f"SHA256:{source['sha256']}")
    return str(file)


def _from_suite(mirror, source, scratch):
    # A state folder of its own: apt checks the suite's signature as always, and the system's state stays as it is.
    for folder in ("lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(scratch, folder))
    signed_by = f"Signed-By: {KEYRING}\n" if os.path.exists(KEYRING) else ""
    Path(scratch, "suite.sources").write_text(SUITE_SOURCES.format(mirror=mirror, suite=source["suite"]) + signed_by)
    conf = Path(scratch, "apt.conf")
    conf.write_text(APT_CONF + APT_STATE.format(state=scratch))
    _run("apt-get", "-c", conf, "--error-on=any", "update")
    _run("apt-get", "-c", conf, "download", f"{source['package']}/{source['suite']}", cwd=scratch)
    return str(next(Path(scratch).glob("*.deb")))


def _run(*command, cwd=None):
    try:
        done = subprocess.run(command, cwd=cwd, env={**os.environ, "LC_ALL": "C"}, capture_output=True, text=True,
                              timeout=300)
    except FileNotFoundError:
        raise ConanException(f"{command[0]} is not on this machine: install without the Debian profile") from None
    except subprocess.TimeoutExpired:
        raise ConanException(f"{os.path.basename(command[0])} took longer than 300 s") from None
    if done.returncode != 0:
        errors = re.findall(r"^E: *(?:Failed to fetch \S+ +)?(.+)", done.stderr, re.MULTILINE)
        raise ConanException(errors[0] if errors else done.stderr.strip() or f"{command[0]} failed")
    return done.stdout
