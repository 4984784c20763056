// Runs ClickHouse inside node and answers one query after another. Arguments: the folder into which npm installed chdb, and the
// folder of the database. Standard input has one query a line, as a JSON string. Each answer is a line of JSON: its rows as
// lists of texts, the names of the columns first, or what went wrong.
const [modules, folder] = process.argv.slice(1)
const { Session } = require(require.resolve('chdb', { paths: [modules] }))
const session = new Session(folder)
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  let answer
  try {
    const rows = session.query(JSON.parse(line), 'JSONCompactStringsEachRowWithNames')
    answer = `{"rows":[${rows.trimEnd().replaceAll('\n', ',')}]}`
  } catch (e) {
    answer = JSON.stringify({ error: String(e.message) })
  }
  process.stdout.write(answer + '\n')
})
