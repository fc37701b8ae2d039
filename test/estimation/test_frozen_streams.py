"""What a stream makes of each fault of the judge: counters and medians, as kept."""

import numpy as np
import pytest
from estimator_judge import adapter, faults

from support.frozen import assert_frozen

RATES = 50.0, 200.0, 1000.0


@pytest.mark.parametrize('lag', [0.0, 0.02])
def test_outputs_of_every_fault_are_frozen(lag: float) -> None:
    found = {}
    for k, (name, fault) in list(enumerate(faults.FAULTS.items()))[::2 if lag else 1]:
        velocities, rate = not fault.alone or (k + bool(lag)) % 2 == 0, RATES[k % 3]
        _, messages = faults.messages(name, rate, velocities, k, max(1.0, 200.0 / rate))
        n = messages.q.shape[1]
        node = adapter.make(n, np.zeros(n, bool), np.tile((-np.inf, np.inf), (n, 1)), lag=lag)
        stamps = np.round(messages.stamps * 1e9).astype(np.int64).tolist()
        rates = np.full_like(messages.q, np.nan) if messages.qd is None else messages.qd
        outputs = [output for row in zip(stamps, messages.q, rates)
                   if (output := node.update(*row)) is not None]
        found[f'{name}, {rate:g} Hz'] = {
            'counters': {what: count for what, count in node.stream.counters.items() if count},
            'median': {what: np.median(np.abs([output[i][:3] for output in outputs]), 0).tolist()
                       for i, what in enumerate(('', 'q', 'qd', 'qdd', 'std')) if i and outputs},
            'groups': [(group.rate, len(group.joints)) for group in node.stream.groups],
            'warnings': list(node.stream.warnings)}
    assert_frozen(f'stream_{lag:g}', found)
