"""Runs Google Benchmark's programs."""

import json
import subprocess


def times(program, seconds=0.05, options=()):
    """Median nanoseconds an iteration, by case."""
    done = subprocess.run(
        [
            program,
            "--benchmark_format=json",
            "--benchmark_repetitions=5",
            f"--benchmark_min_time={seconds}",
            "--benchmark_report_aggregates_only=true",
            *options,
        ],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    return {
        each["run_name"]: each["cpu_time"]
        for each in json.loads(done.stdout)["benchmarks"]
        if each["aggregate_name"] == "median"
    }
