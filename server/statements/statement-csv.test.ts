import { expect, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { statementCsv } from './statement-csv.ts'

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
    '\uFEFFdate (UTC),type,reference,description,amount,balance\r\n' +
      '2026-11-21 09:30:00.000,trade,0AKR850YM0000,Stake on BTCUSDT,-10.50,989.50\r\n',
  )
})
