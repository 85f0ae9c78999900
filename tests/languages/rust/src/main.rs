// SPDX-License-Identifier: BSL-1.0
//! Makes tests/golden's shards.tsv anew of its ids, or the partition keys of keys.tsv; module `shard` is the
//! documentation's. usage: golden shards|keys < FILE
use std::io::BufRead;
use xxhash_rust::{xxh3::xxh3_64, xxh64::xxh64};

mod shard;

fn jump(mut key: u64, shards: i64) -> i64 {
    let (mut found, mut next) = (0i64, 0i64);
    while next < shards {
        found = next;
        key = key.wrapping_mul(2862933555777941757).wrapping_add(1);
        next = ((found + 1) as f64 * ((1u64 << 31) as f64 / ((key >> 33) + 1) as f64)) as i64;
    }
    found
}

fn bytes_of(text: &str) -> Vec<u8> {
    if text == "-" {
        return Vec::new();
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

fn modulo(id: &[u8], shards: u64) -> u64 {
    match std::str::from_utf8(id) {
        Ok(text) => shard::shard_of(text, shards),
        Err(_) => xxh3_64(id) % shards,
    }
}

fn cell(column: &str, id: &[u8]) -> String {
    if column == "xxh3_64" {
        format!("{:016x}", xxh3_64(id))
    } else if column == "xxh64" {
        format!("{:016x}", xxh64(id, 0))
    } else if let Some(shards) = column.strip_prefix("jump") {
        jump(xxh3_64(id), shards.parse().unwrap()).to_string()
    } else {
        modulo(id, column.strip_prefix("mod").unwrap().parse().unwrap()).to_string()
    }
}

/// `16#4,2`: N, separator, width, generation.
fn partition_key(parameter: &str, id: &[u8]) -> String {
    let at = parameter.find(|c: char| !c.is_ascii_digit()).unwrap();
    let separator = &parameter[at..at + 1];
    let (width, generation) = parameter[at + 1..].split_once(',').unwrap();
    let middle = if generation == "0" { String::new() } else { format!("g{generation}{separator}") };
    let shard = modulo(id, parameter[..at].parse().unwrap());
    let width: usize = width.parse().unwrap();
    format!("RenewalSaga{separator}{middle}{shard:0width$}")
}

fn main() {
    let keys = std::env::args().nth(1).as_deref() == Some("keys");
    let mut columns: Vec<String> = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let mut fields: Vec<String> = line.split('\t').map(String::from).collect();
        if keys {
            fields[3] = partition_key(&fields[1], &bytes_of(&fields[2]));
        } else if columns.is_empty() {
            columns = fields.clone();
        } else {
            let id = bytes_of(&fields[0]);
            for place in 1..columns.len() {
                fields[place] = cell(&columns[place], &id);
            }
        }
        println!("{}", fields.join("\t"));
    }
}
