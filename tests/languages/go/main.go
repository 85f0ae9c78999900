// SPDX-License-Identifier: BSL-1.0

// Makes tests/golden's shards.tsv anew of its ids, or the partition keys of keys.tsv; package shard is the
// documentation's. usage: golden shards|keys < FILE
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"evenkey.test/languages/shard"
	"github.com/cespare/xxhash/v2"
	"github.com/zeebo/xxh3"
)

func jump(key uint64, shards int64) int64 {
	found, next := int64(0), int64(0)
	for next < shards {
		found = next
		key = key*2862933555777941757 + 1
		next = int64(float64(found+1) * (float64(1<<31) / float64((key>>33)+1)))
	}
	return found
}

func number(text string) uint64 {
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return value
}

func bytesOf(text string) []byte {
	if text == "-" {
		return nil
	}
	bytes, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return bytes
}

func cell(column string, id []byte) string {
	hash := xxh3.Hash(id)
	switch {
	case column == "xxh3_64":
		return fmt.Sprintf("%016x", hash)
	case column == "xxh64":
		return fmt.Sprintf("%016x", xxhash.Sum64(id))
	case strings.HasPrefix(column, "jump"):
		return fmt.Sprint(jump(hash, int64(number(column[4:]))))
	case utf8.Valid(id):
		return fmt.Sprint(shard.Of(string(id), number(column[3:])))
	}
	return fmt.Sprint(hash % number(column[3:]))
}

var parameters = regexp.MustCompile(`^(\d+)(\D)(\d+),(\d+)$`)

func partitionKey(parameter string, id []byte) string {
	parts := parameters.FindStringSubmatch(parameter)
	key := "RenewalSaga" + parts[2]
	if parts[4] != "0" {
		key += "g" + parts[4] + parts[2]
	}
	return key + fmt.Sprintf("%0*d", int(number(parts[3])), number(cell("mod"+parts[1], id)))
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<20)
	var columns []string
	for input.Scan() {
		fields := strings.Split(input.Text(), "\t")
		switch {
		case os.Args[1] == "keys":
			fields[3] = partitionKey(fields[1], bytesOf(fields[2]))
		case columns == nil:
			columns = append(columns, fields...)
		default:
			for place := 1; place < len(columns); place++ {
				fields[place] = cell(columns[place], bytesOf(fields[0]))
			}
		}
		fmt.Println(strings.Join(fields, "\t"))
	}
	if err := input.Err(); err != nil {
		panic(err)
	}
}
