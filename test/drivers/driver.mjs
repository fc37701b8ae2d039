import { readFileSync } from 'node:fs';
import * as robot from './@name_dynamics.mjs';
const of = (name) => robot[name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())];
const flat = readFileSync(0, 'utf8').split(' ').map(Number);
const show = (found) => console.log(Object.values(found).flat(Infinity).join('\n'));
console.log('====');
for (const name of robot.jointNames) console.log([...Buffer.from(name)].join(' '));
for (let k = 0; k < flat.length; k += 3 * @n) {
    const [q, qd, qdd] = [0, 1, 2].map((i) => flat.slice(k + i * @n, k + (i + 1) * @n));
    @calls
}
