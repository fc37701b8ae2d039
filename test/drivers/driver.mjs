import { readFileSync } from 'node:fs';
import * as robot from './@name_dynamics.mjs';
const of = (name) => robot[name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())];
const flat = readFileSync(0, 'utf8').split(/\s+/).map(Number);
const show = (found) => console.log(Object.values(found).flat(Infinity).join('\n'));
console.log('====');
for (const name of robot.jointNames) console.log([...Buffer.from(name)].join(' '));
for (let k = 0; k < flat.length; k += @width) {
    const state = flat.slice(k, k + @width);
    @calls
}
