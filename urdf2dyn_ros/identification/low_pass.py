"""
The same zero-phase low pass, delay and decimation for any number of signals, by their spectra.

    H(f) = exp(-2 pi i f delay) / (1 + (f / cutoff)^8)

is a Butterworth filter of order 4, forwards and backwards. Signals are continued beyond their ends
by a reflection at the end point, so that nothing wraps around.
"""

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array

ROW_RATE = 25.0
"""Rate of the rows of a fit [Hz]; efforts of an arm have nothing above 10 Hz that is its own."""

HIGHEST_CUTOFF = 10.0
"""Cutoff of what is not filtered otherwise [Hz]."""

_PADDING = 2.0
"""Time by which signals are continued [s]."""

_ORDER = 8


class Spectra:
    """
    The spectra of signals (k, c) with a rate [Hz], up to half of ROW_RATE.

    `rows` returns the filtered signals at `time` (m,) [s], counted from the first sample.
    """

    def __init__(self, signals: Array, rate: float) -> None:
        # imported here because it takes half of the time in which a command starts
        from scipy import fft

        self._inverse = fft.irfft
        count = len(signals)
        padding = min(round(_PADDING * rate), count - 1)
        length = fft.next_fast_len(count + 2 * padding, real=True)
        duration = length / rate
        most = int(min(ROW_RATE, rate) / 2.0 * duration)
        self._frequency = np.arange(most + 1) / duration
        self._length = fft.next_fast_len(2 * (most + 1), real=True)
        self._scale = self._length / length
        step = duration / self._length
        first, last = padding / rate, (padding + count - 1) / rate
        times = step * np.arange(self._length)
        self._kept = (times >= first) & (times <= last)
        self.time = times[self._kept] - first
        ends = signals[:1], signals[-1:]
        self._mean = signals.mean(axis=0)
        rest = length - count - 2 * padding
        padded = np.concatenate((
            2.0 * ends[0] - signals[padding:0:-1], signals,
            2.0 * ends[1] - signals[-2:-padding - 2:-1] if padding else signals[:0]))
        # from the end of the continuation back to its begin, so that the circle is closed
        way = np.linspace(0.0, 1.0, rest + 2)[1:-1, None]
        closing = padded[-1:] * (1.0 - way) + padded[:1] * way
        self._spectra = fft.rfft(np.concatenate((padded, closing)), axis=0)[:most + 1]

    def rows(self, cutoff: float = HIGHEST_CUTOFF, delay: float = 0.0) -> Array:
        """Return the signals (m, c), low-passed [Hz] and delayed [s]."""
        f = self._frequency
        factor = np.exp(-2j * np.pi * f * delay) / (1.0 + (f / cutoff) ** _ORDER)
        rows: Array = self._inverse(self._spectra * factor[:, None], self._length, axis=0)
        return np.asarray(rows[self._kept] * self._scale)
