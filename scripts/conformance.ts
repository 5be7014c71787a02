require('./run.cjs')('conformance')
