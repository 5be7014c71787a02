// Makes sure that a stop ends wrangler too.
import './stop.ts'
import { executeSql } from './execute-sql.ts'
import { readPlanets } from './prepare.ts'

// Inserts the shipped planets into a database that has the tables. Planets that it already contains stay unchanged. The
// arguments say where the database is: `--remote`, or `--local` with `--persist-to` and a folder.

await executeSql((await readPlanets()).writeSql(), process.argv.slice(2))
console.log('The shipped planets are in the database.')
