require('./run.cjs')('openapi')
