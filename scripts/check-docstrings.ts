// Runs lib/check-docstrings.ts. It is CommonJS, so that an old Node can say which version is needed (run.cjs).
require('./run.cjs')('check-docstrings')
