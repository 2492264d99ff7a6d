import { expect, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { csvCell, statementCsv } from './statement-csv.ts'

test.each([
  ['plain words', 'plain words'],
  ['-12.50', '-12.50'],
  ['12.50', '12.50'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1+1', "'-1+1"],
  ['-cmd|calc', "'-cmd|calc"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['=HYPERLINK("https://evil.example","x")', '"\'=HYPERLINK(""https://evil.example"",""x"")"'],
  ['two\nlines', '"two\nlines"'],
])('writes %j as the cell %j', (value, cell) => {
  expect(csvCell(value)).toBe(cell)
})

test('a line is a row of six cells, with signed amounts', async () => {
  async function* lines() {
    yield {
      at: Date.UTC(2026, 10, 21, 9, 30),
      type: 'trade',
      reference: '0AKR850YM0000',
      description: 'Stake on BTCUSDT',
      amount: usd(-1_050n),
      balance: usd(98_950n),
    }
  }
  let text = ''
  for await (const piece of statementCsv(lines())) text += piece
  expect(text).toBe(
    'date,type,reference,description,amount,balance\r\n' +
      '2026-11-21T09:30:00.000Z,trade,0AKR850YM0000,Stake on BTCUSDT,-10.50,989.50\r\n',
  )
})
