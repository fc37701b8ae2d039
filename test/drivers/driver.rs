#[path = "@name_dynamics.rs"]
mod robot;
use robot::JOINTS as N;
use std::io::Read;
fn main() {
    println!("====");
    for name in robot::JOINT_NAMES {
        println!("{}", name.bytes().map(|byte| byte.to_string() + " ").collect::<String>());
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let flat: Vec<f64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    for state in flat.chunks(3 * N) {
        let get = |k: usize| <&[f64; N]>::try_from(&state[k * N..(k + 1) * N]).unwrap();
        let (q, qd, qdd) = (get(0), get(1), get(2));
    @calls
    }
}
