import { expect, test } from 'vitest'
import { csvLine, csvText } from './csv.ts'

test('separates cells by commas and quotes those that contain one', () => {
  expect(csvLine(['a', 'b,c', 'd"e', 'f\ng', 1.5, -2, true, null, undefined, ''])).toBe(
    'a,"b,c","d""e","f\ng",1.5,-2,true,,,\r\n',
  )
})

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '|calc', '%x', '\t=1', '\r=1', '  =1', '\n@x'])(
  'a spreadsheet shows %j as text',
  (formula) => {
    expect(csvLine([formula]).replace(/^"/, '').startsWith("'")).toBe(true)
  },
)

test('a head begins with a byte order mark, so that spreadsheets read UTF-8', async () => {
  const { value } = await csvText(['time (UTC)', 'trade'], []).next()
  expect(value).toBe('\uFEFFtime (UTC),trade\r\n')
})

test('quotes cells with a semicolon or tab, at which some spreadsheets split', () => {
  expect(csvLine(['a;b', 'c\td', 'e;=1+1'])).toBe('"a;b","c\td","e;=1+1"\r\n')
})

test.each(['＝1+1', '＋1', '－1', '＠SUM(A1)', ' ＝x'])("a full-width sign doesn't start a formula: %j", (formula) => {
  expect(csvLine([formula])).toBe(`"'${formula}"\r\n`)
})

test("a number isn't a formula", () => {
  expect(csvLine([-5, 0.5, { digits: '-12.50' }])).toBe('-5,0.5,-12.50\r\n')
})

test('a time is written as spreadsheets read it', () => {
  expect(csvLine([{ utc: Date.UTC(2026, 10, 26, 9, 0, 0, 250) }])).toBe('2026-11-26 09:00:00.250\r\n')
})

test.each([
  ['-1+1', "'-1+1"],
  ['say "hi"', '"say ""hi"""'],
  ['=HYPERLINK("https://evil.example","x")', `"'=HYPERLINK(""https://evil.example"",""x"")"`],
])('writes the text %j as %j', (text, cell) => {
  expect(csvLine([text])).toBe(`${cell}\r\n`)
})
