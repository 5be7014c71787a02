// Package galaxy shows tests that start Galaxy, and give each test a universe, which is reset after each of its parts.
//
// The command `galaxy` has to be installed in this folder or in one above it: `npm i -D ./galaxy-2.0.0.tgz`. If
// GALAXY_URL is set, the tests use the service at this address, and start none.
package galaxy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The address of the service.
var galaxyURL = os.Getenv("GALAXY_URL")

// TestMain starts the service for all tests of the package.
func TestMain(m *testing.M) {
	if galaxyURL == "" {
		url, stop, err := startGalaxy()
		if err != nil {
			fmt.Fprintln(os.Stderr, "Galaxy did not start. Is it installed? The reason is above.", err)
			os.Exit(1)
		}
		galaxyURL = url
		defer stop()
	}
	m.Run()
}

// startGalaxy returns the address when the service is ready. The command also ends when this process does, because its
// standard input then ends.
func startGalaxy() (url string, stop func() error, err error) {
	command := exec.Command("npx", "--no-install", "galaxy", "--port", "0", "--json", "--memory", "--with-parent")
	command.Stderr = os.Stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := command.Start(); err != nil {
		return "", nil, err
	}
	stop = func() error {
		stdin.Close()
		return command.Wait()
	}
	var ready struct{ URL string }
	if err := json.NewDecoder(stdout).Decode(&ready); err != nil {
		return "", nil, fmt.Errorf("%v (%v)", err, stop())
	}
	return ready.URL, stop, nil
}

// universe is a world of its own: the whole service at another address.
type universe struct{ URL, Token string }

// newUniverse gives a test a universe, and ends it after the test.
func newUniverse(t *testing.T) *universe {
	t.Helper()
	common, made := &universe{URL: galaxyURL}, &universe{}
	common.call(t, "POST", "/universes", `{"hours":1}`, made)
	t.Cleanup(func() { made.call(t, "DELETE", "/universe", "", nil) })
	return made
}

// test runs a part of a test, and then resets the universe.
func (u *universe) test(t *testing.T, name string, run func(t *testing.T)) {
	t.Run(name, func(t *testing.T) {
		t.Cleanup(func() { u.call(t, "POST", "/universe/reset", "", nil) })
		run(t)
	})
}

// call sends a request, and reads the response into result unless result is nil.
func (u *universe) call(t *testing.T, method, path, body string, result any) {
	t.Helper()
	request, err := http.NewRequest(method, u.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if u.Token != "" {
		request.Header.Set("Authorization", "Bearer "+u.Token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		t.Fatalf("%s %s: %s", method, path, response.Status)
	}
	if result == nil {
		return
	}
	if err := json.NewDecoder(response.Body).Decode(result); err != nil {
		t.Fatal(err)
	}
}
