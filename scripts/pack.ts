require('./run.cjs')('pack')
