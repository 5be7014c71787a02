// Runs lib/vendor.ts. It is CommonJS, so that an old Node can say which version is needed (run.cjs).
require('./run.cjs')('vendor')
