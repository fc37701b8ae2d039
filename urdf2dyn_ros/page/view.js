// The robot on a canvas: links as lines, joints about their axes, centres of mass; and its motion.

const plus = (a, b, k = 1) => [a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
    a[0] * b[1] - a[1] * b[0]];
const unit = (a) => a.map((entry) => entry / Math.hypot(...a));
const times = (R, a) => R.map((row) => dot(row, a));
const between = (low, value, high) => Math.min(Math.max(value, low), high);

const FIRST = { azimuth: 0.9, elevation: 0.32, zoom: 1 };

export class View {
    // `robot` is the data of the page; `place(q)` returns R and p of each body.
    constructor(canvas, robot, place) {
        Object.assign(this, { canvas, robot, place, ...FIRST });
        this.chosen = -1;
        this.loads = robot.joints.map(() => 0);
        this.context = canvas.getContext('2d');
        const { up } = robot, first = Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
        const forward = unit(plus(first, up, -dot(first, up)));
        this.level = [forward, cross(up, forward), up];   // z is upwards on the canvas
        this.heaviest = Math.max(...robot.links.map((link) => link.mass), 1e-9);
        this.leaves = robot.links.map((_, k) => robot.links.every((each) => each.parent !== k));
        new ResizeObserver(() => this.draw()).observe(canvas);
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
        this.listen();
    }

    // Takes a payload on a link, its mass and its centre of mass in the frame of that link.
    carry({ link, R }, mass, ...com) {
        const { body, at } = this.robot.links[link];
        this.payload = { body, mass, com: plus(at, times(R, com)) };
    }

    // Shows the robot at positions; the first ones decide how large it is drawn.
    show(q) {
        this.bodies = this.place(q);
        const links = this.robot.links;
        this.origins = links.map((link) => this.placed(link, link.at));
        this.centres = links.map((link) => this.placed(link, link.com));
        const shown = [...this.origins, ...this.centres.filter((_, k) => links[k].mass > 0)];
        const ends = [0, 1, 2].map((i) => shown.map((point) => point[i]))
            .map((values) => [Math.min(...values), Math.max(...values)]);
        const middle = ends.map(([low, high]) => (low + high) / 2);
        if (!this.radius) {
            this.radius = Math.max(0.62 * Math.hypot(...ends.map(([a, b]) => b - a)), 1e-3);
            [this.target, this.floor] = [middle, ends[2][0]];
            this.sizes = this.bodies.map((body) => this.room(body));
        }
        const away = plus(middle, this.target, -1);   // a robot that leaves is followed
        const far = 1 - 0.5 * this.radius / Math.hypot(...away);
        if (far > 0) this.target = plus(this.target, away, far);
        this.request();
    }

    // Returns the radius of a joint: smaller where others are near, as those of fingers.
    room(body) {
        const apart = this.bodies.map((other) => Math.hypot(...plus(other.p, body.p, -1)))
            .filter((distance) => distance > 0.002 * this.radius);
        return between(0.012 * this.radius, 0.45 * Math.min(...apart), 0.042 * this.radius);
    }

    request() {
        this.frame ??= requestAnimationFrame(() => this.draw());
    }

    // Returns where a point of a link's body is, in axes of which z is upwards.
    placed(link, point) {
        if (link.body < 0) return times(this.level, point);
        const { R, p } = this.bodies[link.body];
        return times(this.level, plus(p, times(R, point)));
    }

    // Returns place on the canvas and depth of a point.
    seen(point) {
        const [x, y, depth] = times(this.camera, plus(point, this.target, -1));
        const scale = this.scale / (1 - 0.18 * depth / this.radius);
        return [this.width / 2 + scale * x, this.height / 2 - scale * y, depth];
    }

    draw() {
        this.frame = undefined;
        if (!this.bodies) return;
        const { canvas, context } = this;
        const density = Math.min(devicePixelRatio || 1, 2);
        this.width = canvas.clientWidth;
        this.height = canvas.clientHeight;
        canvas.width = Math.round(this.width * density);
        canvas.height = Math.round(this.height * density);
        context.setTransform(density, 0, 0, density, 0, 0);
        const style = getComputedStyle(canvas);
        this.colour = (name) => style.getPropertyValue(`--${name}`).trim();
        const [ca, sa] = [Math.cos(this.azimuth), Math.sin(this.azimuth)];
        const [ce, se] = [Math.cos(this.elevation), Math.sin(this.elevation)];
        this.camera = [[-sa, ca, 0], [-se * ca, -se * sa, ce], [ce * ca, ce * sa, se]];
        this.scale = this.zoom * 0.47 * Math.min(this.width, this.height) / this.radius;
        this.thick = between(3, 0.035 * this.radius * this.scale, 14);
        this.drawFloor();
        const parts = [...this.masses(), ...this.lines(), ...this.axes()];
        parts.sort((a, b) => a.depth - b.depth).forEach((part) => part.paint());
        this.drawNames();
    }

    stroke(points, width, colour, cap = 'round') {
        const { context } = this;
        context.beginPath();
        points.forEach(([x, y]) => context.lineTo(x, y));
        Object.assign(context, { lineWidth: width, strokeStyle: colour, lineCap: cap,
            lineJoin: 'round' });
        context.stroke();
    }

    drawFloor() {
        const steps = [1, 2, 5].flatMap((k) => [-2, -1, 0, 1, 2].map((e) => k * 10 ** e));
        const step = steps.sort((a, b) => a - b).find((each) => each > this.radius / 5) ?? 1000;
        const [x, y] = this.target.map((value) => step * Math.round(value / step));
        const reach = 6 * step, at = (a, b) => this.seen([x + a, y + b, this.floor]);
        for (let a = -reach; a < reach + step / 2; a += step) {
            this.stroke([at(a, -reach), at(a, reach)], 1, this.colour('grid'));
            this.stroke([at(-reach, a), at(reach, a)], 1, this.colour('grid'));
        }
        ['#d04040', '#3a9a3a', '#4060d0'].forEach((colour, i) => {
            const end = [0, 0, 0];
            end[i] = 0.14 * this.radius;
            const [tip, name] = [1, 1.25].map(
                (k) => this.seen(times(this.level, end.map((x) => k * x))));
            this.stroke([this.seen([0, 0, 0]), tip], 2, colour);
            Object.assign(this.context, { fillStyle: colour, font: '12px system-ui, sans-serif',
                textAlign: 'center', textBaseline: 'middle' });
            this.context.fillText('xyz'[i], name[0], name[1]);
        });
    }

    // Yields the links as lines from their parents, those at the ends to their centres of mass.
    * lines() {
        for (const [k, link] of this.robot.links.entries()) {
            const ends = link.parent < 0 ? [] : [[this.origins[link.parent], this.origins[k]]];
            const loops = this.robot.loops.filter((end) => end.link === k);
            ends.push(...loops.map(({ at }) => [this.origins[k], this.placed(link, at)]));
            if (this.leaves[k] && link.mass > 0 && !loops.length) {
                ends.push([this.origins[k], this.centres[k]]);
            }
            for (const [from, to] of ends) {
                if (Math.hypot(...plus(to, from, -1)) < 1e-6 * this.radius) continue;
                const line = [this.seen(from), this.seen(to)];
                // frames of sensors, for instance, are thin
                const width = this.leaves[k] && !link.mass ? this.thick / 4 : this.thick;
                yield { depth: (line[0][2] + line[1][2]) / 2, paint: () => {
                    this.stroke(line, width + 3, this.colour('paper'));
                    this.stroke(line, width, this.colour('link'));
                } };
            }
        }
    }

    * masses() {
        for (const link of [...this.robot.links, this.payload]) {
            if (!(link.mass > 0)) continue;
            const [x, y, depth] = this.seen(this.placed(link, link.com));
            const size = 0.085 * this.radius * this.scale * Math.cbrt(
                Math.min(8, link.mass / this.heaviest));
            yield { depth: depth - 0.1 * this.radius, paint: () => {
                const { context } = this;
                context.beginPath();
                context.arc(x, y, size, 0, 2 * Math.PI);
                context.globalAlpha = 0.35;
                context.fillStyle = this.colour(link === this.payload ? 'accent' : 'mass');
                context.fill();
                context.globalAlpha = 1;
            } };
        }
    }

    // Yields each joint: a cylinder about its axis, or a block along it.
    * axes() {
        for (const [k, body] of this.robot.bodies.entries()) {
            const { R, p: origin } = this.bodies[k], p = times(this.level, origin);
            const axis = unit(times(this.level, times(R, body.axis)));
            const chosen = body.joint === this.chosen;
            const size = this.sizes[k], half = (body.turns ? 0.9 : 1.3) * size;
            const first = unit(cross(axis, Math.abs(axis[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
            const second = cross(axis, first), faces = body.turns ? 28 : 4;
            const side = (height) => Array.from({ length: faces + 1 }, (_, i) => {
                const angle = 2 * Math.PI * (i + 0.5) / faces;
                return this.seen(plus(plus(plus(p, axis, height), first, size * Math.cos(angle)),
                    second, size * Math.sin(angle)));
            });
            const near = dot(this.camera[2], axis) > 0 ? half : -half;
            yield { depth: this.seen(p)[2] + 0.02 * this.radius, paint: () => {
                const [back, front] = [side(-near), side(near)];
                const long = (chosen ? 6.2 : 3.1) * size;
                this.stroke([-long, long].map((length) => this.seen(plus(p, axis, length))),
                    chosen ? 2.5 : 1.5, this.colour('accent'));
                const { context } = this;
                const fill = this.mixed(this.loads[body.joint] ?? 0);
                const outline = hull([...back, ...front]);
                for (const [points, light] of [[outline, 0], [front, 0.25]]) {
                    context.beginPath();
                    points.forEach(([x, y]) => context.lineTo(x, y));
                    context.closePath();
                    context.fillStyle = fill;
                    context.fill();
                    context.fillStyle = `rgba(255, 255, 255, ${light})`;
                    context.fill();
                    Object.assign(context, { lineWidth: 1, strokeStyle: this.colour('rim') });
                    context.stroke();
                }
            } };
        }
    }

    // Returns the colour of a joint whose effort is this part of its scale.
    mixed(part) {
        const share = Math.round(100 * Math.min(1, Math.abs(part)));
        return `color-mix(in srgb, ${this.colour('accent')} ${share}%, ${this.colour('joint')})`;
    }

    drawNames() {
        const k = this.robot.bodies.findIndex((body) => body.joint === this.chosen);
        if (k < 0) return;
        const { context } = this;
        const [x, y] = this.seen(times(this.level, this.bodies[k].p));
        Object.assign(context, { font: '600 14px system-ui, sans-serif', lineWidth: 4,
            strokeStyle: this.colour('paper'), fillStyle: this.colour('ink') });
        const name = this.robot.joints[this.chosen].name.slice(0, 60);
        const left = between(6, x + 16, Math.max(6, this.width - 6
            - context.measureText(name).width));
        context.strokeText(name, left, y - 12);
        context.fillText(name, left, y - 12);
    }

    rotate(right, up) {
        this.azimuth -= right;
        this.elevation = between(-1.5, this.elevation + up, 1.5);
        this.request();
    }

    enlarge(factor) {
        this.zoom = between(0.2, this.zoom * factor, 12);
        this.request();
    }

    listen() {
        const { canvas } = this, pointers = new Map();
        const apart = () => {
            const [a, b] = [...pointers.values()];
            return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
        };
        canvas.addEventListener('pointerdown', (event) => {
            pointers.set(event.pointerId, event);
            canvas.setPointerCapture(event.pointerId);
        });
        canvas.addEventListener('pointermove', (event) => {
            const old = pointers.get(event.pointerId);
            if (!old) return;
            const before = pointers.size > 1 ? apart() : 0;
            pointers.set(event.pointerId, event);
            if (before > 0) this.enlarge(apart() / before);
            else this.rotate(0.008 * (event.clientX - old.clientX),
                0.008 * (event.clientY - old.clientY));
        });
        for (const end of ['pointerup', 'pointercancel']) {
            canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
        }
        canvas.addEventListener('wheel', (event) => {
            event.preventDefault();
            this.enlarge(Math.exp(-0.0012 * event.deltaY));
        }, { passive: false });
        canvas.addEventListener('dblclick', () => {
            Object.assign(this, FIRST);
            this.request();
        });
        canvas.addEventListener('keydown', (event) => {
            const steps = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1],
                ArrowDown: [0, -0.1] };
            const factors = { '+': 1.15, '-': 1 / 1.15 };
            if (steps[event.key]) this.rotate(...steps[event.key]);
            else if (factors[event.key]) this.enlarge(factors[event.key]);
            else return;
            event.preventDefault();
        });
    }
}

// Returns the convex hull of points of the canvas, in order.
function hull(points) {
    const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const half = (list) => {
        const kept = [];
        for (const c of list) {
            while (kept.length > 1) {
                const [a, b] = kept.slice(-2);
                if ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0) break;
                kept.pop();
            }
            kept.push(c);
        }
        return kept.slice(0, -1);
    };
    return [...half(sorted), ...half(sorted.reverse())];
}

// Returns a random number in the middle part of a range.
export const drawn = (low, high, part) => (low + high) / 2
    + part * (high - low) * (Math.random() - 0.5);

// A motion of all joints about where they are, within the ranges of the sliders.
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
