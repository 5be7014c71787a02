// Makes the journeys that the arguments name, one after the other. Prints each name after its journey, so that the next
// one is the one that failed.

for (const journey of process.argv.slice(2)) {
  await import(`./journeys/${journey}.ts`)
  console.log(`${journey} is complete`)
}
