// Package journey has what the programs of all clients share: what they report, and values that are no type of a client.
package journey

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// URL is the address of the service, without a slash at the end.
func URL() string { return environment("GALAXY_URL") }

// Picture is the path of a PNG file.
func Picture() string { return environment("PICTURE") }

func environment(name string) string {
	value := os.Getenv(name)
	if value == "" {
		Fail("%s is not set", name)
	}
	return value
}

// Done reports that everything in a step of the journey was as it should be.
func Done(step string) { fmt.Println(step) }

// Fail ends the program with a message.
func Fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

// Must ends the program if there is an error.
func Must(err error) {
	if err == nil {
		return
	}
	// Errors of openapi-generator have the body of the response.
	if refusal, is := err.(interface{ Body() []byte }); is {
		Fail("%v: %s", err, refusal.Body())
	}
	Fail("%v", err)
}

// Got returns the value of a call that must not fail.
func Got[T any](value T, err error) T {
	Must(err)
	return value
}

// Equal ends the program if two values differ, at any depth.
func Equal(what string, actual, expected any) {
	if !reflect.DeepEqual(actual, expected) {
		Fail("%s is %#v (%T) and not %#v (%T)", what, actual, actual, expected, expected)
	}
}

// True ends the program if something is false.
func True(what string, is bool) {
	if !is {
		Fail("not so: %s", what)
	}
}

// NewEmail returns an address that nobody has.
func NewEmail() string {
	bytes := make([]byte, 8)
	_, err := rand.Read(bytes)
	Must(err)
	return hex.EncodeToString(bytes) + "@example.com"
}

// Password is what the users of all programs sign in with.
const Password = "i-love-interop"

// Secret is the credential that a webhook sends to its receiver.
const Secret = "s3cr3t-of-the-receiver"

// Mass is a number that has no exact value in 32 bits.
const Mass = 0.107123456789

// DiscoveredAt is when the planets of the programs were discovered.
var DiscoveredAt = time.Date(1610, time.January, 7, 12, 30, 15, 0, time.UTC)

// Until asks again until the answer is yes, for at most a minute.
func Until(what string, is func() bool) {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if is() {
			return
		}
	}
	Fail("not so after a minute: %s", what)
}

// ProblemName returns the last part of the URL that is the type of a problem.
func ProblemName(address string) string {
	_, name, found := strings.Cut(address, "/problems/")
	True("the type of a problem is "+address, found)
	return name
}

// NextOffset returns the offset of a page, of which `meta.next` has the path.
func NextOffset(next string) int64 {
	parsed := Got(url.Parse(next))
	return Got(strconv.ParseInt(parsed.Query().Get("offset"), 10, 64))
}
