// Sliders, bars and buttons, joined with the exported functions and the view.

const robot = JSON.parse(document.getElementById('robot').textContent);
const { terms, forwardKinematics, selfTests } = globalThis.exported;
const element = (id) => document.getElementById(id);
const QUANTITIES = { q: ['', 'position'], qd: ['/s', 'velocity'], qdd: ['/s²', 'acceleration'] };

const zeros = () => robot.joints.map(() => 0);
const state = { q: robot.joints.map(({ lower, upper }) => (lower <= 0 && upper >= 0 ? 0
    : (lower + upper) / 2)), qd: zeros(), qdd: zeros() };
const START = [...state.q];
const efforts = () => terms(state.q, state.qd, state.qdd);
const KEYS = Object.keys(efforts());
const titles = KEYS.map((key) => key.replace(/^tau/, '').toLowerCase());

function place(q) {
    const found = forwardKinematics(q);
    return robot.bodies.map((_, k) => (robot.bodies.length > 1
        ? { R: found[`R_${k + 1}`], p: found[`p_${k + 1}`] } : { R: found.R, p: found.p }));
}

function made(tag, properties = {}, parent = undefined) {
    const result = Object.assign(document.createElement(tag), properties);
    parent?.append(result);
    return result;
}

const rounded = (value) => (Math.abs(value) < 5e-4 ? '0' : value.toPrecision(3).includes('e')
    ? Math.round(value).toString() : value.toPrecision(3)).replace('-', '−');

function range(joint, quantity) {
    if (quantity === 'q') return [joint.lower, joint.upper];
    const most = quantity === 'qd' ? joint.velocity : joint.acceleration;
    return [-most, most];
}

function slider(joint, k, quantity, parent) {
    const [end, title] = QUANTITIES[quantity];
    const row = made('label', { className: `slider ${quantity}` }, parent);
    made('span', { textContent: quantity }, row);
    const [min, max] = range(joint, quantity);
    const input = made('input', { type: 'range', min, max, step: 'any' }, row);
    input.setAttribute('aria-label', `${title} of ${joint.name}`);
    const shown = made('data', {}, row);
    input.addEventListener('input', () => {
        stop();
        state[quantity][k] = Number(input.value);
        update();
    });
    return () => {
        const value = state[quantity][k];
        input.value = value;
        shown.value = value;
        shown.textContent = `${rounded(value)} ${joint.unit}${end}`;
    };
}

// Adds the bar of a joint's efforts; returns what shows them, and their part of the scale.
function bar(joint, k, parent) {
    const head = made('div', { className: 'head' }, parent);
    made('span', { className: 'name', textContent: joint.name }, head);
    const total = made('data', {}, head);
    const box = made('div', { className: 'bar' }, parent);
    const parts = titles.map((title) => {
        const part = made('i', { title }, box);
        part.style.background = `var(--${title})`;
        return part;
    });
    made('i', { className: 'middle' }, box);
    const limits = joint.limit ? [-1, 1].map((sign) => [sign,
        made('i', { className: 'limit' }, box)]) : [];
    const sum = made('i', { className: 'sum' }, box);
    const ends = made('div', { className: 'ends' }, parent);
    const [left, right] = [made('span', {}, ends), made('span', {}, ends)];
    let scale = 0;
    return (values) => {
        const effort = values.reduce((a, b) => a + b, 0);
        const reach = Math.max(...[1, -1].map((sign) => values.reduce(
            (a, b) => a + Math.max(0, sign * b), 0)));
        scale = Math.max(scale, nice(Math.max(reach, scales[k])));
        const places = { '1': 50, '-1': 50 };
        values.forEach((value, i) => {
            const sign = value < 0 ? -1 : 1, size = 50 * Math.abs(value) / scale;
            const from = sign > 0 ? places[1] : places[-1] - size;
            places[sign] += sign * size;
            parts[i].style.setProperty('--from', `${from}%`);
            parts[i].style.setProperty('--size', `${size}%`);
        });
        for (const [sign, mark] of limits) {
            mark.style.left = `${50 + 50 * sign * joint.limit / scale}%`;
        }
        sum.style.left = `${50 + 50 * effort / scale}%`;
        [total.value, total.textContent] = [effort, `${rounded(effort)} ${joint.effortUnit}`];
        box.setAttribute('role', 'img');
        box.setAttribute('aria-label', titles.map((title, i) => `${title} ${rounded(values[i])}`)
            .join(', '));
        left.textContent = `−${scale}`;
        right.textContent = `${scale} ${joint.effortUnit}${joint.limit ? `, limit ${
            Number(joint.limit.toPrecision(4))}` : ''}`;
        return effort / scale;
    };
}

// Returns the next of 1, 2, 5, 10, ...
function nice(value) {
    const power = 10 ** Math.floor(Math.log10(value));
    return Number(([1, 2, 5, 10].find((k) => k * power >= value * 0.999999) * power)
        .toPrecision(1));
}

const randomised = (quantity, part) => robot.joints.map((joint) => drawn(
    ...range(joint, quantity), part));

// Returns the length of each bar to begin with: gravity's, or a tenth of what any state needs.
function firstScales() {
    const still = zeros(), any = zeros();
    for (let n = 0; n < 60; n++) {
        const q = randomised('q', 1);
        const moving = terms(q, randomised('qd', 0.5), randomised('qdd', 0.5));
        const resting = terms(q, zeros(), zeros());
        for (const k of still.keys()) {
            const sum = (found) => Math.abs(KEYS.reduce((a, key) => a + found[key][k], 0));
            still[k] = Math.max(still[k], sum(resting));
            any[k] = Math.max(any[k], sum(moving));
        }
    }
    return still.map((value, k) => Math.max(value, 0.1 * any[k], 1e-3));
}

function update() {
    const found = efforts();
    view.loads = rows.map((row, k) => row(KEYS.map((key) => found[key][k])));
    view.show(state.q);
}

function stop() {
    clock = undefined;
    element('move').setAttribute('aria-pressed', 'false');
    element('move').textContent = 'Move';
}

function set(values) {
    stop();
    Object.assign(state, values);
    update();
}

function start() {
    const motion = new Motion(robot.joints, state.q), begin = performance.now();
    const mine = clock = {};
    element('move').setAttribute('aria-pressed', 'true');
    element('move').textContent = 'Stop';
    const step = (now) => {
        if (clock !== mine) return;
        Object.assign(state, motion.at(Math.max(0, now - begin) / 1000));
        update();
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
}

function choose(k) {
    view.chosen = k;
    cards.forEach((card, i) => card.classList.toggle('chosen', i === k));
    view.request();
}

let clock, scales, view, rows, cards;
const wrong = selfTests.flatMap((test) => test());
const check = element('check');
if (wrong.length) {
    // a robot that is wrong is not shown
    check.className = 'wrong';
    check.textContent = `In this browser the exported functions differ from their reference:\n${
        wrong.join('\n')}`;
} else {
    check.textContent = 'The self-checks of both exported files agree with their references.';
    scales = firstScales();
    view = new View(element('view'), robot, place);
    for (const title of titles) {
        const item = made('li', {}, element('legend'));
        made('i', {}, item).style.background = `var(--${title})`;
        item.append(title);
    }
    made('i', { className: 'sum' }, made('li', {}, element('legend'))).after('sum');
    cards = robot.joints.map((joint, k) => {
        const card = made('section', { className: 'joint' }, element('joints'));
        for (const event of ['pointerenter', 'focusin']) {
            card.addEventListener(event, () => choose(k));
        }
        return card;
    });
    rows = robot.joints.map((joint, k) => {
        const show = bar(joint, k, cards[k]);
        const box = made('div', { className: 'sliders' }, cards[k]);
        const sliders = Object.keys(QUANTITIES).map((quantity) => slider(joint, k, quantity, box));
        return (values) => {
            sliders.forEach((refresh) => refresh());
            return show(values);
        };
    });
    element('move').addEventListener('click', () => (clock ? stop() : start()));
    element('zero').addEventListener('click', () => set({ q: [...START], qd: zeros(),
        qdd: zeros() }));
    element('rest').addEventListener('click', () => set({ qd: zeros(), qdd: zeros() }));
    element('random').addEventListener('click', () => set({ q: randomised('q', 0.6),
        qd: randomised('qd', 0.4), qdd: randomised('qdd', 0.4) }));
    for (const tab of document.querySelectorAll('.tabs button')) {
        tab.addEventListener('click', () => {
            element('joints').dataset.shown = tab.dataset.shown;
            for (const other of document.querySelectorAll('.tabs button')) {
                other.setAttribute('aria-pressed', String(other === tab));
            }
        });
    }
    for (const script of document.querySelectorAll('script[data-file]')) {
        const name = script.dataset.file;
        const text = script.textContent.split('\n').slice(1, -2).join('\n');
        element('files').append(made('a', { download: name, textContent: name,
            href: `data:text/javascript;charset=utf-8,${encodeURIComponent(text)}` }), ' ');
    }
    update();
}
