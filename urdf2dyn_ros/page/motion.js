// A motion of all joints about where they are, and random states, within the ranges of the sliders.

// Returns a random number in the middle part of a range.
export const drawn = (low, high, part) => (low + high) / 2
    + part * (high - low) * (Math.random() - 0.5);

export class Motion {
    constructor(joints, q) {
        const most = joints.length > 10 ? 0.5 : 1;
        this.parts = joints.map((joint, k) => {
            const range = joint.upper - joint.lower;
            const amplitude = most * Math.min(0.28 * range, joint.turns ? 0.7 : 0.15);
            const centre = Math.min(Math.max(q[k], joint.lower + amplitude),
                joint.upper - amplitude);
            const rate = Math.min(1 + 0.55 * ((k * 0.618) % 1), 0.6 * joint.velocity / amplitude);
            return { q: q[k], shift: centre - q[k], amplitude, rate };
        });
    }

    // Returns q, qd and qdd after a time [s]: a sine that grows in a second, with its derivatives.
    at(time) {
        const grown = 1 - Math.exp(-time), fading = Math.exp(-time);
        const rows = this.parts.map(({ q, shift, amplitude, rate }) => {
            const s = Math.sin(rate * time), c = Math.cos(rate * time);
            return [
                q + shift * grown + amplitude * grown * s,
                shift * fading + amplitude * (fading * s + grown * rate * c),
                -shift * fading + amplitude * (-fading * s + 2 * fading * rate * c
                    - grown * rate * rate * s)];
        });
        return { q: rows.map((row) => row[0]), qd: rows.map((row) => row[1]),
            qdd: rows.map((row) => row[2]) };
    }
}
