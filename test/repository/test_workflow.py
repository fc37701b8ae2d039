"""The workflow of GitHub, which cannot run here: its schema, and what it has to cover."""

import subprocess
import sys

import pytest
import yaml

from support.paths import ROOT

WORKFLOW = ROOT / '.github' / 'workflows' / 'ci.yml'


def test_the_workflow_has_the_form_that_github_reads() -> None:
    """By the schema that check-jsonschema has with it."""
    pytest.importorskip('check_jsonschema')
    done = subprocess.run(
        [sys.executable, '-m', 'check_jsonschema', '--builtin-schema', 'vendor.github-workflows',
         str(WORKFLOW)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_workflow_runs_what_a_developer_runs() -> None:
    """On the Ubuntus of the supported Pythons, and in each ROS distribution."""
    jobs = yaml.safe_load(WORKFLOW.read_text())['jobs']
    scripts = {name: '\n'.join(step.get('run', '') for step in job['steps'])
               for name, job in jobs.items()}
    assert '.ci/run' in scripts['ubuntu']
    assert all(command in scripts['ros'] for command in (
        'rosdep install', 'colcon build', 'colcon test'))
    assert jobs['ros']['strategy']['matrix']['distribution'] == [
        'humble', 'jazzy', 'kilted', 'lyrical', 'rolling']
