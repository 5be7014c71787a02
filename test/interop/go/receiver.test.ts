import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import {
  BODY_CASES,
  CASES,
  codeOf,
  expected,
  judgeIn,
  PUBLIC_CASES,
  receiveTwice,
} from '../../service/documented-receivers.ts'
import { describeLanguage, makeBuildFolder, run, serviceUrl } from '../journey.ts'
import { go } from './go.ts'

// Runs the receiver in docs/callbacks.md under "Go".

/** If there are cases, the program judges them and does not serve. */
const GO_HARNESS = `
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"
)

func init() {
	text, err := os.ReadFile(os.Getenv("CASES"))
	if err != nil {
		return
	}
	var cases []struct {
		Secret  string
		Headers map[string]string
		Body    string
		Now     int64
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		panic(err)
	}
	verdicts := []bool{}
	for _, each := range cases {
		header := http.Header{}
		for name, value := range each.Headers {
			header.Set(name, value)
		}
		switch os.Args[1] {
		case "verify":
			verdicts = append(verdicts, verify(each.Secret, header, []byte(each.Body), time.Unix(each.Now, 0)))
		case "verifyPublic":
			verdicts = append(verdicts, verifyPublic(each.Secret, header, []byte(each.Body), time.Unix(each.Now, 0)))
		default:
			verdicts = append(verdicts, verifyBody(each.Secret, header, []byte(each.Body)))
		}
	}
	answer, _ := json.Marshal(verdicts)
	fmt.Println(string(answer))
	os.Exit(0)
}
`

describeLanguage('go', () => {
  let folder: string

  beforeAll(async () => {
    folder = await makeBuildFolder('go', 'receiver')
    await writeFile(join(folder, 'receiver.go'), codeOf('Go', 'go'))
    await writeFile(join(folder, 'judge.go'), GO_HARNESS)
    await writeFile(join(folder, 'verify_public.go'), codeOf('With a public key', 'go'))
    await go('build', `-o=${join(folder, 'receiver')}`, './build/receiver')
  })

  it('the receiver accepts valid messages, and refuses those that were changed, are old, or have no timestamp', async () => {
    expect(await judgeIn(folder, CASES, './receiver', 'verify')).toEqual(expected(CASES))
  })

  it('the receiver accepts only the right x-signature', async () => {
    expect(await judgeIn(folder, BODY_CASES, './receiver', 'verifyBody')).toEqual(expected(BODY_CASES))
  })

  it('with a public key, accepts what the private key has signed, just now, and nothing else', async () => {
    const verdicts = await judgeIn(folder, PUBLIC_CASES, './receiver', 'verifyPublic')
    expect(verdicts).toEqual(expected(PUBLIC_CASES))
  })

  it('the receiver takes a callback, and does nothing when it comes again', async () => {
    await receiveTwice(serviceUrl(), 'Go', folder, ['./receiver'])
  })

  it('the receiver is formatted as gofmt formats it', async () => {
    expect(await run(['gofmt', '-l', 'receiver.go', 'verify_public.go'], folder)).toBe('')
  })
})
