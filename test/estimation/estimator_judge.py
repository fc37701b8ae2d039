"""The judge of estimators in `benchmarks/`, with the stream as it is."""

import sys

from support.paths import ROOT

sys.path.insert(0, str(ROOT / 'benchmarks' / 'estimator_judge'))

import adapter as adapter
import faults as faults
import judge as judge
