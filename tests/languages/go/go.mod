module evenkey.test/languages

go 1.18

require (
	github.com/cespare/xxhash/v2 v2.3.0
	github.com/zeebo/xxh3 v1.0.2
)

require github.com/klauspost/cpuid/v2 v2.0.9 // indirect
