// Sliders, bars and buttons, joined with the exported functions and the view.

const robot = JSON.parse(document.getElementById('robot').textContent);
const { terms, forwardKinematics, close, passiveStart, selfTests } = globalThis.exported;
const element = (id) => document.getElementById(id);
const QUANTITIES = { q: ['', 'position'], qd: ['/s', 'velocity'], qdd: ['/s²', 'acceleration'] };

const zeros = () => robot.joints.map(() => 0);
const state = { q: robot.joints.map(({ start }) => start), qd: zeros(), qdd: zeros(),
    payload: [...robot.payload.values], gravity: [...robot.gravity] };
const START = [...state.q];
let degrees = false;
let pose = { q: START, passive: passiveStart ? [passiveStart] : [] };   // in which loops close

// Returns q, or the last positions on the way there in which the robot's loops close.
function reached(q) {
    if (!close) return q;
    const from = pose.q, away = q.map((value, k) => value - from[k]);
    const steps = Math.max(1, Math.ceil(Math.max(...away.map(Math.abs)) / 0.02));
    for (let i = 1; i <= steps; i++) {
        const at = i === steps ? q : from.map((value, k) => value + away[k] * i / steps);
        const { passive, status } = close(at, pose.passive[0]);
        if (status !== 'closed') break;
        pose = { q: [...at], passive: [passive] };
    }
    return [...pose.q];
}

// Returns the terms of the efforts, with the gravity and the payload [kg, m] of the page.
function efforts(q, qd, qdd) {
    const base = robot.still ? [] : [[0, 0, 0, 0, 0, 0, ...state.gravity.map((g) => -g)]];
    return terms(q, qd, qdd, ...pose.passive, ...base, [...state.payload, ...robot.payload.inertia]);
}

const KEYS = Object.keys(efforts(state.q, state.qd, state.qdd)).filter((key) => /^tau/.test(key));
const titles = KEYS.map((key) => key.replace(/^tau/, '').toLowerCase());

function place(q) {
    const found = forwardKinematics(q, ...pose.passive);
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

// Adds a field for a typed number, an entry of state in units of scale(); returns what refreshes it.
function field(key, k, label, parent, scale = () => 1) {
    const input = made('input', { type: 'number', step: 'any', ariaLabel: label }, parent);
    const refresh = () => {
        if (document.activeElement !== input) {   // a number that is being typed stays as it is
            input.value = Number((state[key][k] * scale()).toPrecision(4));
        }
    };
    input.addEventListener('input', () => {
        if (!Number.isFinite(input.valueAsNumber)) return;
        stop();
        state[key][k] = input.valueAsNumber / scale();
        update();
    });
    input.addEventListener('blur', refresh);
    return refresh;
}

function slider(joint, k, quantity, parent) {
    const [end, title] = QUANTITIES[quantity];
    const row = made('div', { className: `slider ${quantity}` }, parent);
    made('span', { textContent: quantity }, row);
    const [min, max] = range(joint, quantity);
    const ariaLabel = `${title} of ${joint.name}`;
    const input = made('input', { type: 'range', min, max, step: 'any', ariaLabel }, row);
    const value = made('span', { className: 'value' }, row);
    const refresh = field(quantity, k, ariaLabel, value,
        () => (joint.turns && degrees ? 180 / Math.PI : 1));
    const unit = made('span', {}, value);
    input.addEventListener('input', () => {
        stop();
        state[quantity][k] = Number(input.value);
        update();
    });
    return () => {
        const number = state[quantity][k];
        input.value = number;
        refresh();
        value.classList.toggle('beyond', number < min - 1e-9 || number > max + 1e-9);
        unit.textContent = `${joint.turns && degrees ? 'deg' : joint.unit}${end}`;
    };
}

// Adds the fields of payload and gravity; returns what refreshes them.
function loadFields(parent) {
    const row = (text) => {
        const line = made('div', { className: 'load' }, parent);
        made('span', { textContent: text }, line);
        return line;
    };
    const one = (key, k, name, unit, line) => {
        const label = made('label', { textContent: name }, line);
        const refresh = field(key, k, `${key} ${name}`, label);
        label.append(unit);
        return refresh;
    };
    const axes = (key, first, unit, line) => ['x', 'y', 'z'].map(
        (axis, i) => one(key, first + i, axis, i === 2 ? unit : '', line));
    const carried = row(`payload on ${robot.links[robot.payload.link].name}`);
    const fields = [one('payload', 0, 'mass', 'kg', carried), ...axes('payload', 1, 'm', carried)];
    if (!robot.still) fields.push(...axes('gravity', 0, 'm/s²', row('gravity')));
    return () => fields.forEach((refresh) => refresh());
}

// Adds the bar of a joint's efforts; returns what shows them, and their part of the scale.
function bar(joint, k, parent) {
    const head = made('div', { className: 'head' }, parent);
    made('span', { className: 'name', textContent: joint.name }, head);
    const total = made('data', {}, head);
    const box = made('div', { className: 'bar' }, parent);
    const parts = titles.map((title) => {
        const part = made('i', { title }, box);
        part.style.background = `var(--${title}, var(--external))`;
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
        const q = reached(randomised('q', close ? 0.1 : 1));   // near singular poses efforts are huge
        const moving = efforts(q, randomised('qd', 0.5), randomised('qdd', 0.5));
        const resting = efforts(q, zeros(), zeros());
        for (const k of still.keys()) {
            const sum = (found) => Math.abs(KEYS.reduce((a, key) => a + found[key][k], 0));
            still[k] = Math.max(still[k], sum(resting));
            any[k] = Math.max(any[k], sum(moving));
        }
    }
    reached(START);
    return still.map((value, k) => Math.max(value, 0.1 * any[k], 1e-3));
}

function update() {
    state.q = reached(state.q);
    const found = efforts(state.q, state.qd, state.qdd);
    view.loads = rows.map((row, k) => row(KEYS.map((key) => found[key][k])));
    view.carry(robot.payload, ...state.payload);
    view.show(state.q);
    refreshLoads();
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

// Returns the address of this page as it is now: #q=0.1,0.2&payload=1,0,0,0.1 ..., in SI units.
function address() {
    const parts = Object.entries(state).map(([key, numbers]) => `${key}=${
        numbers.map((number) => Number(number.toPrecision(9))).join(',')}`);
    return `#${[...parts, ...(degrees ? ['degrees=1'] : [])].join('&')}`;
}

// Takes over what an address says; what does not fit this robot is left out.
function visit() {
    const said = new URLSearchParams(location.hash.slice(1));
    const values = {};
    for (const [key, old] of Object.entries(state)) {
        const numbers = (said.get(key) ?? '').split(',').map(Number);
        if (said.get(key) && numbers.length === old.length && numbers.every(Number.isFinite)) {
            values[key] = numbers;
        }
    }
    setDegrees(said.has('degrees') || degrees);
    set(values);
    element('loads').open ||= state.payload[0] !== 0;
}

async function share() {
    history.replaceState(null, '', address());
    const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    element('share').textContent = copied ? 'Copied' : 'In the address bar';
    setTimeout(() => { element('share').textContent = 'Copy link'; }, 2000);
}

function setDegrees(wanted) {
    degrees = wanted;
    element('degrees').setAttribute('aria-pressed', String(degrees));
}

function choose(k) {
    view.chosen = k;
    cards.forEach((card, i) => card.classList.toggle('chosen', i === k));
    view.request();
}

let clock, scales, view, rows, cards, refreshLoads;
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
        made('i', {}, item).style.background = `var(--${title}, var(--external))`;
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
    refreshLoads = loadFields(element('loads'));
    element('share').addEventListener('click', share);
    element('degrees').addEventListener('click', () => {
        setDegrees(!degrees);
        update();
    });
    addEventListener('hashchange', visit);
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
    visit();
}
