"""cloud_jobs_test.py SCAFFOLD: the job files of train_cloud.sh are what Kubeflow, Vertex AI, SkyPilot and Slurm take, the commands that
submit them are right, and bad settings end before anything is written."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import judges

if __name__ == "__main__":
    judges.enter_environment("cloud")

HOME = tempfile.TemporaryDirectory()
os.environ |= {"HOME": HOME.name, "SKYPILOT_DISABLE_USAGE_COLLECTION": "1"}  # SkyPilot keeps notes, and sends some

import yaml
from rendered_project import STUB, Project

TARGETS = {"slurm": "slurm", "kubeflow": "kubernetes", "vertex": "vertex", "skypilot": "sky"}
SETTINGS = {"CLOUD_LIBRARY": "https://example.org/scaffold.git", "CLOUD_REGISTRY": "registry.example.org/team", "CLOUD_BUCKET": "gs://a-bucket",
            "CLOUD_CLAIM": "a-claim", "CLOUD_PROJECT": "a-project", "CLOUD_REGION": "europe-west4", "CLOUD_PARTITION": "gpus"}


class CloudProject(Project):
    flags = ("--cloud", ",".join(TARGETS))
    settings = SETTINGS


class JobFiles(CloudProject):
    """Each is parsed by what the platform itself publishes."""

    def train_words(self, words: list[str], mount: str) -> dict[str, str]:
        """The flags of `train`, by name."""
        flags = dict(zip(words[::2], words[1::2], strict=True))
        self.assertEqual(flags["--folder"], f"{mount}data")
        self.assertEqual(flags["--config"], "config/train.toml")
        return flags

    def launch_words(self, words: list[str], launcher: list[str], mount: str) -> dict[str, str]:
        end = words.index("--")
        self.assertEqual(words[:end], ["launch", *launcher])
        return self.train_words(words[end + 1:], mount)

    def test_kubeflow_takes_the_train_job(self):
        from kubeflow_trainer_api.models import TrainerV1alpha1TrainJob

        for gpus, launcher in (("2", ["--gpus", "0,1"]), ("0", ["--ranks", "4"])):
            text = self.job_file("kubernetes", "--nodes", "3", "--gpus-per-node", gpus, "--ranks-per-node", "4", "--", "--seed", "7")
            content = yaml.safe_load(text)
            job = TrainerV1alpha1TrainJob.from_dict(content)
            self.assertEqual(job.to_dict(), content, "no field is unknown to it")
            trainer = job.spec.trainer
            self.assertEqual((trainer.num_nodes, trainer.num_proc_per_node), (3, int(gpus) or 4))
            self.assertEqual("nvidia.com/gpu" in content["spec"]["trainer"]["resourcesPerNode"]["limits"], gpus != "0")
            flags = self.launch_words(trainer.args, [*launcher, "--max_restarts", "3", "--grace", "290s"], "/storage/")
            self.assertEqual(flags["--run"], f"/storage/runs/{job.metadata.name}")
            self.assertEqual((flags["--device"], flags["--seed"]), ("cuda" if gpus != "0" else "cpu", "7"))
            self.assertRegex(f"{job.metadata.name}-node-0-9999-abcde", r"^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$")
            self.assertTrue(job.metadata.name.startswith("digits-with-a-long-name"))

    def test_vertex_takes_the_custom_job(self):
        from google.cloud.aiplatform_v1 import CustomJobSpec, Scheduling

        for nodes, gpus in (("1", "0"), ("1", "1"), ("4", "8")):
            text = self.job_file("vertex", "--nodes", nodes, "--gpus-per-node", gpus, "--spot", "true")
            job = CustomJobSpec.from_json(json.dumps(yaml.safe_load(text)), ignore_unknown_fields=False)
            pools = job.worker_pool_specs
            self.assertEqual([pool.replica_count for pool in pools], [1] if nodes == "1" else [1, 3])
            for pool in pools:
                self.assertEqual(pool.machine_spec.accelerator_count, int(gpus))
                self.assertRegex(pool.container_spec.image_uri, r"^registry.example.org/team/digits-.*:[0-9a-f]{12}-(cuda|release)$")
                launcher = ["--gpus", ",".join(map(str, range(int(gpus))))] if gpus != "0" else ["--ranks", "1"]
                flags = self.launch_words(list(pool.container_spec.args), [*launcher, "--max_restarts", "3", "--grace", "290s"], "/gcs/a-bucket/")
                self.assertRegex(flags["--run"], r"^/gcs/a-bucket/runs/digits-[a-z0-9-]{1,56}$")
            self.assertEqual(job.scheduling.strategy, Scheduling.Strategy.SPOT)
            self.assertTrue(job.base_output_directory.output_uri_prefix.startswith("gs://a-bucket/"))

    def test_vertex_takes_the_search(self):
        from google.cloud.aiplatform_v1 import HyperparameterTuningJob

        content = yaml.safe_load(self.job_file("vertex", "--tune", "--trials", "30"))
        job = HyperparameterTuningJob.from_json(json.dumps(content), ignore_unknown_fields=False)
        self.assertEqual((job.max_trial_count, job.parallel_trial_count), (30, 4))
        self.assertEqual([metric.metric_id for metric in job.study_spec.metrics], ["accuracy"])
        searched = [f"--{parameter.parameter_id}" for parameter in job.study_spec.parameters]
        container = job.trial_job_spec.worker_pool_specs[0].container_spec
        self.assertFalse(set(searched) & set(container.args), "a flag is not given twice")
        # What Vertex AI runs: the command, its arguments and those of the trial.
        (self.folder / "program").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
        (self.folder / "program").chmod(0o755)
        command = [*container.command[:-1], str(self.folder / "program"), *container.args, f"{searched[0]}=0.5"]
        env = {variable.name: variable.value for variable in container.env} | {"CLOUD_ML_TRIAL_ID": "9"}
        words = subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout.split("\n")
        self.assertEqual(words[:-1], [*container.args, f"{searched[0]}=0.5", "--run", f"{env['RUNS']}/trial-9"])

    def test_sky_pilot_takes_the_task(self):
        import sky

        for gpus in ("4", "0"):
            self.job_file("sky", "--nodes", "2", "--gpus-per-node", gpus, "--infra", "gcp" if gpus == "0" else "")
            file = max((self.project / "runlogs").glob("*/sky.yaml"), key=lambda path: path.stat().st_mtime_ns)
            task = sky.Task.from_yaml(str(file))
            (resources,) = task.resources
            self.assertEqual(task.num_nodes, 2)
            self.assertEqual(resources.accelerators, {"L4": 4} if gpus == "4" else None)
            self.assertEqual(resources.job_recovery["recover_on_exit_codes"], [75])
            self.assertEqual(resources.job_recovery["max_restarts_on_errors"], 3)
            self.assertEqual(task.storage_mounts["/bucket"].mode.value, "MOUNT_CACHED")
            words = subprocess.run(["bash", "-c", task.run.replace("exec ", "printf '%s\\n' ").replace("cd /project", "true")],
                                   check=True, capture_output=True, text=True).stdout.split("\n")[1:-1]
            self.launch_words(words, [*(["--gpus", "0,1,2,3"] if gpus == "4" else ["--ranks", "1"]), "--max_restarts", "3", "--grace", "290s"], "/bucket/")

    def test_slurm_takes_the_batch_script(self):
        allowed = {"job-name", "partition", "nodes", "ntasks-per-node", "cpus-per-task", "gpus-per-node", "mem", "time", "output", "open-mode",
                   "requeue", "signal"}
        for words in (("--nodes", "2", "--gpus-per-node", "4"), ("--gpus-per-node", "0", "--ranks-per-node", "3", "--container", "none")):
            self.job_file("slurm", *words)
            file = max((self.project / "runlogs").glob("*/slurm.sbatch"), key=lambda path: path.stat().st_mtime_ns)
            subprocess.run(["bash", "-n", file], check=True)
            done = subprocess.run(["shellcheck", file], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)
            lines = [line for line in file.read_text().splitlines() if line.startswith("#SBATCH")]
            options = dict(re.fullmatch(r"#SBATCH --([a-z-]+)(?:=([A-Za-z0-9._/:@-]+))?", line).groups() for line in lines)
            self.assertLessEqual(options.keys(), allowed)
            self.assertEqual(options["signal"], "USR1@300")
            self.assertEqual(options["partition"], "gpus")
            self.assertEqual(options["cpus-per-task"], "2")
            self.assertEqual(options.get("gpus-per-node"), "4" if "2" in words else None)

    def run_batch_script(self, status: int, signal: str = "") -> list[list[str]]:
        """With an srun that ends with this, while the script gets the signal."""
        self.job_file("slurm", "--container", "none")
        file = max((self.project / "runlogs").glob("*/slurm.sbatch"), key=lambda path: path.stat().st_mtime_ns)
        (self.tools / "srun").write_text(f"#!/bin/sh\n{signal}\nexit {status}\n")
        (self.tools / "scontrol").write_text(STUB)
        for tool in ("srun", "scontrol"):
            (self.tools / tool).chmod(0o755)
        done = subprocess.run(["bash", file], env={"PATH": f"{self.tools}:{os.environ['PATH']}", "RECORD": str(self.record), "SLURM_JOB_ID": "42"})
        self.assertEqual(done.returncode, status)
        commands = self.commands()
        self.record.write_text("")
        return commands

    def test_a_batch_job_that_has_saved_goes_to_the_queue_again(self):
        self.assertEqual(self.run_batch_script(75), [["scontrol", "requeue", "42"]])
        self.assertEqual(self.run_batch_script(0), [])
        self.assertEqual(self.run_batch_script(7), [])
        self.assertEqual(self.run_batch_script(75, "kill -TERM $PPID"), [], "it was cancelled")

    def test_a_job_goes_on_in_the_run_of_another(self):
        first = yaml.safe_load(self.job_file("kubernetes", "--nodes", "3", "--epochs", "9", "--", "--seed", "7"))["metadata"]["name"]
        last = first
        for more in ([], ["--data", "/elsewhere", "--nodes", "2", "--", "--seed", "8"]):
            job = yaml.safe_load(self.job_file("kubernetes", "--resume", last, *more))
            last = job["metadata"]["name"]  # the next one goes on with this one, in the run of the first
            self.assertNotEqual(last, first)
            words = job["spec"]["trainer"]["args"]
            self.assertEqual(words[words.index("--run") + 1], f"/storage/runs/{first}")
            self.assertEqual(words[words.index("--epochs") + 1], "9")
            self.assertEqual(job["spec"]["trainer"]["numNodes"], 2 if more else 3)
            self.assertEqual(words[words.index("--folder") + 1], "/elsewhere" if more else "/storage/data")
            self.assertEqual(words[-2:], ["--seed", "8" if more else "7"], "the last one counts")

    def test_the_command_that_is_printed_goes_on(self):
        shown = self.run_script("./train_cloud.sh", "vertex", "--dry-run", "--trials", "7", "--", "--seed", "7").stdout
        job, self.known = self.new_job(), self.jobs()
        command = re.search(r"^  go on:   (.*)$", shown, re.M)[1].split()
        done = self.run_script(*command, "--dry-run", settings={})
        self.assertEqual((done.returncode, done.stderr), (0, ""), "its settings are kept")
        self.assertIn(f'"/gcs/a-bucket/runs/{job.name}"', (self.new_job() / "vertex.yaml").read_text())

    def test_what_a_job_kept_is_not_run(self):
        self.job_file("vertex")
        file = max((self.project / "runlogs").glob("*/options"), key=lambda path: path.stat().st_mtime_ns)
        file.write_text(file.read_text() + "PATH=/nowhere\nregion=$(touch spoilt)\n")
        done = self.run_script("./train_cloud.sh", "vertex", "--dry-run", "--resume", file.parent.name)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("region is '$(touch spoilt)'", done.stderr)
        self.assertFalse((self.project / "spoilt").exists())

    def test_slurm_without_a_container_shows_how_it_is_built(self):
        shown = self.run_script("./train_cloud.sh", "slurm", "--container", "none", "--dry-run").stdout
        self.assertIn("+ cmake --build --preset cuda --target digits_with_a_long_name_0123456789\n", shown)


class Submits(CloudProject):
    """With programs that only write down what they are asked."""

    def submit(self, *words: str) -> tuple[str, list[list[str]]]:
        done = self.run_script("./train_cloud.sh", *words, tools=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"job {self.new_job().name} is submitted\n", done.stdout)
        self.assertIn(f"## {self.new_job().name}\n", (self.project / "training_log.md").read_text())
        shown = [line[2:] for line in done.stdout.splitlines() if line.startswith("+ ")]
        self.assertEqual([" ".join(command) for command in self.commands()], shown, "what is shown is what is run")
        return self.new_job().name, self.commands()

    def test_containers(self):
        commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=self.project, check=True, capture_output=True,
                                text=True).stdout.strip()
        for target, stage, checks, tail in (
                ("kubernetes", "runtime", ["kubectl get --namespace default persistentvolumeclaim/a-claim clustertrainingruntime/torch-distributed"],
                 lambda job, file: ["kubectl", "create", "--filename", file]),
                ("vertex", "runtime", ["gcloud storage buckets describe gs://a-bucket --project a-project --format none",
                                       "gcloud ai custom-jobs list --project a-project --region europe-west4 --limit 1 --format none"],
                 lambda job, file: ["gcloud", "ai", "custom-jobs", "create", "--project", "a-project", "--region", "europe-west4",
                                    "--display-name", job, "--config", file]),
                ("sky", "sky", ["sky check"], lambda job, file: ["sky", "jobs", "launch", "--yes", "--detach-run", file])):
            with self.subTest(target=target):
                self.record.write_text("")
                self.known = self.jobs()
                job, (*checked, build, push, submit) = self.submit(target)
                self.assertEqual([" ".join(command) for command in checked], checks, "before anything is built")
                image = f"registry.example.org/team/digits-with-a-long-name-0123456789:{commit}-cuda" + ("-sky" if stage == "sky" else "")
                self.assertEqual(build, ["docker", "build", "--file", "cloud/Dockerfile", "--target", stage, "--platform", "linux/amd64",
                                         "--build-arg", "BASE=debian:12.12-slim", "--build-arg", "PRESET=cuda", "--build-arg",
                                         f"LIBRARY={SETTINGS['CLOUD_LIBRARY']}", "--tag", image, "."])
                self.assertEqual(push, ["docker", "push", image])
                (file,) = self.files_of(self.new_job())
                self.assertEqual(submit, tail(job, f"runlogs/{job}/{file.name}"))
                self.assertIn(image, file.read_text())

    def test_a_search(self):
        job, (*_, submit) = self.submit("vertex", "--tune")
        self.assertEqual(submit[:4], ["gcloud", "ai", "hp-tuning-jobs", "create"])
        self.assertEqual(submit[-1], f"runlogs/{job}/hptuning_config.yaml")

    def test_slurm(self):
        job, (check, build, submit) = self.submit("slurm")
        self.assertEqual(check, ["sinfo", "--summarize"], "a cluster answers")
        self.assertEqual(build[:2] + build[-1:], ["apptainer", "build", "cloud/apptainer.def"])
        self.assertEqual(submit, ["sbatch", f"runlogs/{job}/slurm.sbatch"])
        self.assertIn(f"apptainer exec --nv {build[-2]} ", (self.new_job() / "slurm.sbatch").read_text())

    def test_a_changed_project_has_a_container_of_its_own(self):
        file = self.project / "src/model.h"
        text = file.read_text()
        self.addCleanup(file.write_text, text)
        file.write_text(text + "// changed\n")
        _, (*_, build, _, _) = self.submit("vertex")
        self.assertRegex(build[-2], r":[0-9a-f]{12}-\d{8}-\d{6}-cuda$")

    def test_a_step_that_fails_is_the_last(self):
        (self.tools / "docker").write_text(STUB + "exit 9\n")
        self.addCleanup((self.tools / "docker").write_text, STUB)
        done = self.run_script("./train_cloud.sh", "sky", tools=True)
        self.assertEqual((done.returncode, done.stderr), (2, "train_cloud.sh: docker failed\n  fix: see its own message above\n"))
        self.assertEqual([command[0] for command in self.commands()], ["sky", "docker"])

    def test_a_bucket_that_is_not_there_ends_it_before_the_build(self):
        (self.tools / "gcloud").write_text(STUB + "exit 1\n")
        self.addCleanup((self.tools / "gcloud").write_text, STUB)
        done = self.run_script("./train_cloud.sh", "vertex", tools=True)
        self.assertEqual((done.returncode, done.stderr), (2, "train_cloud.sh: gcloud failed\n  fix: see its own message above\n"))
        self.assertEqual([command[:3] for command in self.commands()], [["gcloud", "storage", "buckets"]])
        shown = self.run_script("./train_cloud.sh", "vertex", "--dry-run").stdout
        self.assertLess(shown.index("+ gcloud storage buckets describe gs://a-bucket"), shown.index("+ docker build"))


class BadInput(CloudProject):
    def expect(self, code: int, message: str, *words: str, settings: dict | None = None, path: str | None = None):
        done = self.run_script("./train_cloud.sh", *words, settings=settings, tools=True, path=path)
        self.assertEqual((done.returncode, done.stderr), (code, f"train_cloud.sh: {message}\n"))
        self.assertEqual(self.commands(), [])
        self.assertEqual(self.jobs(), self.known, "nothing is written")

    def test_targets(self):
        choice = "fix: ./train_cloud.sh TARGET, one of: slurm kubernetes vertex sky (scaffold update --set cloud=... adds others)"
        self.expect(3, f"where to?\n  {choice}")
        self.expect(3, f"there is no target 'nowhere'\n  {choice}", "nowhere")
        self.expect(3, "there is no target 'vertx'\n  fix: did you mean vertex?", "vertx", "--dry-run")
        self.expect(3, "--tune is not for sky\n  fix: ./train_cloud.sh vertex --tune", "sky", "--tune")
        (self.project / "runlogs").mkdir(exist_ok=True)
        done = self.run_script("./train_cloud.sh", "vertex", "--resume", "nobody")
        self.assertEqual(done.returncode, 3)
        self.assertIn("there is no job 'nobody' to go on with\n  fix: give one of the folders in runlogs: ", done.stderr)
        self.expect(3, "unknown option '--regoin'\n  fix: --help lists them; a flag of the program goes after --: -- --regoin", "vertex", "--regoin", "x")

    def test_missing_settings_are_told_at_once(self):
        for target, missing in (("vertex", "registry library project region bucket"), ("kubernetes", "registry library claim"),
                                ("sky", "registry library bucket"), ("slurm", "library")):
            examples = {"registry": "europe-west4-docker.pkg.dev/my-project/images", "library": "https://github.com/OWNER/scaffold.git",
                        "claim": "training-data", "project": "my-project", "region": "europe-west4", "bucket": "gs://my-bucket"}
            options = " ".join(f"--{name} {examples[name]}" for name in missing.split())
            self.expect(4, f"{target} needs these settings too: {missing}\n"
                        f"  fix: write them into cloud/settings.sh, or give them as options, such as {options}", target, settings={})
        self.expect(4, "vertex needs these settings too: project bucket\n  fix: write them into cloud/settings.sh, or give them as options, "
                    "such as --project my-project --bucket gs://my-bucket", "vertex", "--dry-run",
                    settings=SETTINGS | {"CLOUD_PROJECT": "", "CLOUD_BUCKET": ""})

    def test_values_that_could_change_a_job_file(self):
        letters = "letters, digits and . _ / : @ + = , - alone"
        rules = {"bucket": "gs://NAME or s3://NAME, with a name of 3 to 63 small letters, digits and . _ -", "epochs": "a whole number from 1 to 99999",
                 "batch_size": "a whole number from 1 to 99999", "learning_rate": "a number such as 0.001 or 1e-3", "spot": "true or false", "nodes": "a whole number from 1 to 99999",
                 "ranks_per_node": "a whole number from 1 to 99999", "gpus_per_node": "a whole number from 0 to 99999",
                 "max_restarts": "a whole number from 0 to 99999",
                 "time_limit": "MINUTES, HOURS:MINUTES:SECONDS or DAYS-HOURS:MINUTES:SECONDS",
                 "job_prefix": "small letters, digits and -, with a letter first and no - at the end"}
        for name, value in (("bucket", 'gs://a"b'), ("bucket", "gs://a\nb"), ("bucket", "a-bucket"), ("bucket", "gs://ab"), ("epochs", "two"), ("batch-size", "0"), ("learning-rate", "fast"), ("registry", "a b"), ("image", "a'b"),
                            ("region", "$(touch x)"), ("region", "`touch x`"), ("data", "a\\b"), ("project", "é"), ("nodes", "0"),
                            ("nodes", "2x"), ("nodes", "08"), ("ranks-per-node", "0"), ("gpus-per-node", "08"), ("gpus-per-node", "-1"), ("max-restarts", "9999999"), ("spot", "yes"),
                            ("job-prefix", "Digits"), ("job-prefix", "a-"), ("time-limit", "tomorrow"), ("time-limit", "1d")):
            with self.subTest(name=name, value=value):
                name = name.replace("-", "_")
                self.expect(4, f"a job cannot have this: {name} is '{value}'\n  fix: {name}: {rules.get(name, letters)}", "vertex",
                            f"--{name}", value)
        self.expect(4, "a job cannot have this: epochs is '1 2'; region is '#'; a flag is '{}'\n"
                    f"  fix: epochs: {rules['epochs']}; region: {letters}; flags: {letters}", "vertex", "--epochs", "1 2", "--region", "#", "--", "{}")
        self.expect(4, "Vertex AI does not read the bucket s3://a-bucket\n  fix: give one of Google's: gs://NAME", "vertex", "--bucket",
                    "s3://a-bucket")
        self.expect(4, "container is 'docker'\n  fix: apptainer or none", "slurm", "--container", "docker")

    def test_flags_are_tried_by_a_program_that_is_there(self):
        program = self.project / "build/release/digits_with_a_long_name_0123456789"
        program.parent.mkdir(parents=True)
        self.addCleanup(shutil.rmtree, program.parent)
        program.write_text("#!/bin/sh\necho 'usage error: unknown flag' >&2\nexit 3\n")
        program.chmod(0o755)
        done = self.run_script("./train_cloud.sh", "slurm", "--dry-run", "--", "--epohcs", "2")
        self.assertEqual((done.returncode, done.stderr, self.jobs()), (3, "usage error: unknown flag\n", self.known))
        os.utime(program, (0, 0))  # of before the last edit: what it does not know may be new
        done = self.run_script("./train_cloud.sh", "slurm", "--dry-run", "--", "--epohcs", "2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("the flags after -- are not checked", done.stdout)
        self.known = self.jobs()

    def test_addresses_of_buckets(self):
        words = self.job_file("vertex", "--data", "gs://other/images", "--runs", "gs://a-bucket/runs")
        self.assertIn('"--folder", "/gcs/other/images"', words)
        self.assertIn('"--run", "/gcs/a-bucket/runs/digits', words)
        for target, name, value, mount in (("sky", "data", "gs://other/images", "/bucket"), ("kubernetes", "runs", "s3://b/runs", "/storage"),
                                           ("vertex", "data", "s3://b/images", "/gcs/a-bucket"), ("slurm", "data", "gs://b/images", "the project")):
            self.expect(4, f"a job on {target} does not see {name} {value}\n  fix: give a folder below {mount}, or one that begins with /", target,
                        f"--{name}", value)

    def test_a_value_is_not_filled_in_again(self):
        job = yaml.safe_load(self.job_file("kubernetes", "--claim", "__claim__"))
        self.assertIn("__claim__", json.dumps(job))

    def test_missing_tools(self):
        tools = self.folder / "few"
        tools.mkdir()
        for tool in ("bash", "env", "dirname", "readlink", "sed"):
            (tools / tool).symlink_to(subprocess.run(["which", tool], check=True, capture_output=True, text=True).stdout.strip())
        for target, tool, get in (("slurm", "sbatch", "apt-get install slurm-client, or log in to a machine of the cluster"),
                                  ("vertex", "docker", "apt-get install docker.io")):
            self.expect(2, f"{tool} is not on this machine\n  fix: {get}", target, path=str(tools))
        for tool in ("docker", "sbatch"):
            (tools / tool).symlink_to(self.tools / tool)
        for target, tool, get in (("slurm", "apptainer", "apt-get install apptainer, or --container none to run what this machine builds"),
                                  ("vertex", "gcloud", "curl https://sdk.cloud.google.com | bash"),
                                  ("kubernetes", "kubectl", "apt-get install kubernetes-client"),
                                  ("sky", "sky", "python3 -m pip install 'skypilot[gcp]'")):
            self.expect(2, f"{tool} is not on this machine\n  fix: {get}", target, path=str(tools))


class Container(CloudProject):
    """What hadolint would say."""

    def test_dockerfile(self):
        text = re.sub(r"\\\n\s*", "", (self.project / "cloud/Dockerfile").read_text())
        lines = [line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]
        self.assertIn(["ARG", "BASE=debian:12.12-slim"], lines)
        stages, stage = {}, None
        for instruction, words in lines:
            if instruction == "FROM":
                base, name = re.fullmatch(r"(\S+) AS (\w+)", words).groups()
                self.assertIn(base, ["${BASE}", *stages])
                stage = stages.setdefault(name, [])
            elif stage is not None:
                stage.append((instruction, words))
        self.assertEqual(list(stages), ["build", "runtime", "sky"])
        self.assertNotRegex(text, r":latest|\bADD\b|apt-get upgrade|\bsudo apt")
        for name, stage in stages.items():
            for instruction, words in stage:
                if "apt-get install" in words:
                    self.assertRegex(words, r"^apt-get update && apt-get install -y --no-install-recommends .* && rm -rf /var/lib/apt/lists/\*")
                if instruction == "WORKDIR":
                    self.assertTrue(words.startswith("/"))
                if instruction in ("ENTRYPOINT", "CMD", "SHELL"):
                    self.assertIsInstance(json.loads(words), list)
            if name != "build":
                self.assertEqual([words for instruction, words in stage if instruction == "USER"][-1], "10001:10001")
        build = [words for _, words in stages["build"]]
        self.assertLess(build.index('source scripts/job.sh && install_dependencies "$PRESET"'), build.index(". ."),
                        "what changes often comes last")
        self.assertIn(("ENTRYPOINT", '["/usr/local/bin/digits_with_a_long_name_0123456789"]'), stages["runtime"])

    def test_apptainer(self):
        text = (self.project / "cloud/apptainer.def").read_text()
        self.assertEqual(re.findall(r"^Stage: (\w+)$", text, re.M), ["build", "runtime"])
        for path in re.findall(r"^    (\S+) /project/\1$", text, re.M):
            self.assertTrue((self.project / path).exists(), path)
        self.assertNotIn("latest", text)

    def test_gathers_a_program_with_its_libraries(self):
        runtime = self.folder / "runtime"
        program = subprocess.run(["which", "git"], check=True, capture_output=True, text=True).stdout.strip()
        subprocess.run([self.project / "cloud/gather.sh", program, runtime], check=True)
        self.assertEqual((runtime / "usr/local/bin/git").read_bytes(), Path(program).read_bytes())
        libraries = [file.name for file in (runtime / "usr/local/lib").iterdir()]
        self.assertTrue(any(name.startswith("libz.so") for name in libraries), libraries)
        self.assertFalse(any(name.startswith("libc.so") for name in libraries), libraries)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], warnings="ignore")  # of the judges' own code
