import { create } from 'fontkit'
import { expect, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { memoryWhileReading } from '#tests/support/measures/memory.ts'
import { textOfPdf } from '#tests/support/pdf-text.ts'
import { accountDataPdf } from './account-data-pdf.ts'
import { fontOf, INTER, noto, runsOf, UNKNOWN } from './pdf-fonts.ts'
import { statementPdf } from './statement-pdf.ts'

const HEAD = {
  brand: 'Cleartick',
  name: 'Ada Byron',
  email: 'ada@example.org',
  mode: 'real' as const,
  from: '2026-11-01',
  to: '2026-11-30',
  opening: usd(0n),
  closing: usd(100n),
}

async function* lines(count: number, drawn: () => void = () => undefined) {
  for (let n = 0; n < count; n++) {
    drawn()
    yield {
      at: Date.UTC(2026, 10, 1) + n,
      type: 'trade',
      reference: '0AKR850YM0000',
      description: `Settled: BTCUSDT Buy Won ${n}`,
      amount: usd(n % 2 ? 100n : -100n),
      balance: usd(100n),
    }
  }
}

test('100,000 movements take no more memory than a few', async () => {
  const { bytes, growth } = await memoryWhileReading(statementPdf(HEAD, lines(100_000)), 300_000)
  expect(bytes).toBeGreaterThan(5_000_000)
  expect(growth, `${bytes} bytes were read`).toBeLessThan(2_000_000)
})

test('account data of 10,000 long rows takes no more memory than a few, and no long word is cut', async () => {
  const long = 'x'.repeat(500)
  async function* rows(count: number) {
    for (let n = 0; n < count; n++) yield { table: 'notices', entries: [{ label: 'text', value: `${n} ${long}` }] }
  }
  const head = { brand: 'Cleartick', email: 'ada@example.org', at: '2026-11-27T10:00:00.000Z' }
  const few = textOfPdf(Buffer.concat(await accountDataPdf(head, rows(3)).toArray())).text
  expect(few.replaceAll(/[\n ]/g, '').match(/x{500}/g)).toHaveLength(3)
  const { bytes, growth } = await memoryWhileReading(accountDataPdf(head, rows(10_000)), 100_000)
  expect(bytes).toBeGreaterThan(1_000_000)
  expect(growth, `${bytes} bytes were read`).toBeLessThan(2_000_000)
})

test('stops writing pages for a slow reader and a disconnected one', async () => {
  let drawn = 0
  const pdf = statementPdf(
    HEAD,
    lines(100_000, () => {
      drawn += 1
    }),
  )
  // Stops growing once the pipe is full.
  let waiting: number
  do {
    waiting = drawn
    await new Promise((resolve) => setTimeout(resolve, 500))
  } while (drawn > waiting)
  expect(drawn).toBeGreaterThan(100)
  expect(drawn).toBeLessThan(10_000)
  pdf.destroy()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(drawn).toBeLessThan(waiting + 100)
})

test('ends the file as broken if the source fails', async () => {
  async function* failing() {
    yield* lines(200)
    throw new Error('the database is gone')
  }
  await expect(
    (async () => {
      for await (const _ of statementPdf(HEAD, failing()));
    })(),
  ).rejects.toThrow('the database is gone')
})

const NAMES = {
  Polish: 'Zażółć gęślą jaźń, Łukasz Wójcik',
  Turkish: 'İstanbul’da ığdır, Gülşah Çağlayan Öztürk',
  Russian: 'Пётр Ильич Чайковский',
  Ukrainian: 'Ґанна Їжакевич, Київ',
  Greek: 'Ελένη Παπαδοπούλου, Θεσσαλονίκη',
  'old Greek': 'Ἀριστοτέλης ὁ Σταγειρίτης',
  Vietnamese: 'Nguyễn Thị Ánh Tuyết, Đà Nẵng',
  French: 'Œuvre d’été, Noël à 10 €',
  Romanian: 'Ștefan Țuțea',
  Armenian: 'Արամ Խաչատրյան',
  Georgian: 'შოთა რუსთაველი',
  Amharic: 'ኃይለ ገብረሥላሴ',
  Thai: 'สมชาย ใจดี',
  Chinese: '王小明',
  'traditional Chinese': '蔡英文、愛國',
  Japanese: '髙橋 ひろし・タロウ',
  Korean: '김민수',
}

/** Renders a statement with this name as its owner and this description on its only line. */
async function written(name: string, description = name): Promise<{ text: string; undrawn: number }> {
  const line = { at: 0, type: 'adjust', reference: '', description, amount: usd(1n), balance: usd(1n) }
  async function* one() {
    yield line
  }
  const parts: Buffer[] = []
  for await (const part of statementPdf({ ...HEAD, name }, one())) parts.push(part as Buffer)
  return textOfPdf(Buffer.concat(parts))
}

test.each(Object.entries(NAMES))('writes %s letters so that they can be read back', async (_, name) => {
  const { text, undrawn } = await written(name)
  const said = text.replaceAll('\n', '')
  expect(said).toContain(`Live account of ${name}, ada@example.org`)
  expect(said.split(name)).toHaveLength(3)
  expect(undrawn).toBe(0)
  expect(said).not.toContain(UNKNOWN)
})

test.each(INTER)('has a glyph for every letter of $alphabet', async ({ ranges }) => {
  const mails = ranges.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, n) => String.fromCodePoint(first + n)),
  )
  // Test a few at a time, because a line holds no more.
  for (let at = 0; at < mails.length; at += 12) {
    const { text, undrawn } = await written(`${mails.slice(at, at + 12).join(' ')} Ł`, '')
    expect({ undrawn, whole: text.includes('…, ada') }).toEqual({ undrawn: 0, whole: false })
  }
})

test('composes letters typed as several code points', async () => {
  const { text, undrawn } = await written('Nguyễn Łódź'.normalize('NFD'))
  expect(text.replaceAll('\n', '')).toContain('Nguyễn Łódź')
  expect(undrawn).toBe(0)
})

/** From right to left: a copied text has its characters as they are drawn. */
test.each(['محمد علي', 'عائشة', 'שלום כהן'])('draws %s from right to left in one piece', async (name) => {
  const { text, undrawn } = await written(`${name} Łoś`)
  expect(undrawn).toBe(0)
  const drawn = text.replaceAll('\n', '').normalize('NFKC')
  expect(drawn).toContain(`Live account of ${[...name].reverse().join('')} Łoś, ada`)
})

test.each(['علی\u200cزاده', 'क्\u200dष', 'Ada\u200d Łoś'])(
  'keeps a joiner only where it shapes letters: %j',
  async (name) => {
    const { undrawn, text } = await written(name)
    expect(undrawn).toBe(0)
    expect(text).not.toContain(UNKNOWN)
    expect(
      runsOf('Ada\u200d Łoś')
        .map((run) => run.text)
        .join(''),
    ).toBe('Ada Łoś')
  },
)

test('has a glyph for every character that Noto Sans is listed with', () => {
  for (const { alphabet, ranges } of noto()) {
    const font = create(fontOf(alphabet))
    for (const [first, last] of ranges)
      for (let code = first; code <= last; code++)
        expect(font.hasGlyphForCodePoint(code), `${alphabet} ${code.toString(16)}`).toBe(true)
  }
})

test.each([
  ['🙂', 1],
  ['𒀀𒀁', 2],
])('replaces %s, which no font has, and says so in the file', async (name, mails) => {
  const { text, undrawn } = await written(`${name} Łoś`)
  const said = text.replaceAll('\n', '')
  expect(said).toContain(`Live account of ${UNKNOWN.repeat(mails)} Łoś, ada`)
  expect(said).toContain("replaces a character that this file can't show")
  expect(undrawn).toBe(0)
})

test('truncates long text with an ellipsis and strips hostile line breaks', async () => {
  const { text } = await written('Ada\n\u202eByron', 'Причина '.repeat(40))
  expect(text.replaceAll('\n', '')).toMatch(/account of Ada Byron, .*(Причина ){3,}[Прична ]*…/)
  expect(runsOf('a\u2028b\tc')).toEqual([{ text: 'a b c' }])
})
