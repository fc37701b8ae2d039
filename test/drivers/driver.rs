#[path = "@name_dynamics.rs"]
mod robot;
use std::io::Read;
fn at<const N: usize>(state: &[f64], first: usize) -> &[f64; N] {
    state[first..first + N].try_into().unwrap()
}
fn main() {
    println!("====");
    for name in robot::JOINT_NAMES {
        println!("{}", name.bytes().map(|byte| byte.to_string() + " ").collect::<String>());
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let flat: Vec<f64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    for state in flat.chunks(@width) {
    @calls
    }
}
