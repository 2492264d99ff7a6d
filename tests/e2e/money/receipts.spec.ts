import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MINUTE_MS, SECOND_MS } from '#kernel/time.ts'
import { STEPS } from '#packages/verify/verify.js'
import { signedIn } from '../support/people.ts'
import { tapeTest } from '../support/servers/tape.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../support/test.ts'
import { place } from '../support/trading.ts'

const CLI = join(import.meta.dirname, '../../../packages/verify/cli.js')

async function inBothThemes(page: Page, look: () => Promise<void>): Promise<void> {
  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name
    }, theme)
    await look()
  }
}

/** Drops a file onto the page, as a visitor drags it from a folder. */
async function drop(page: Page, text: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle((content) => {
    const files = new DataTransfer()
    files.items.add(new File([content], 'receipt.json', { type: 'application/json' }))
    return files
  }, text)
  const area = page.getByText('Drop a receipt here')
  for (const type of ['dragenter', 'dragover', 'drop']) await area.dispatchEvent(type, { dataTransfer })
}

/** Opens the page and waits until its code has loaded: only then does the button respond to text. */
async function openCheck(page: Page): Promise<void> {
  await page.goto('/verify')
  const paste = page.getByLabel('Or paste its text')
  await paste.fill('{')
  await expect(page.getByRole('button', { name: 'Check this text' })).toBeEnabled()
  await paste.fill('')
}

const verdict = (page: Page) => page.getByRole('region', { name: 'Result' }).getByRole('heading', { level: 2 })

tapeTest(
  'a settled trade shows its receipt, which can be checked in the details, at /verify and offline',
  async ({ browser, page, tape, trouble }) => {
    await signedIn(page)
    await page.goto('/user/home')
    await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
    await place(page, 'Buy')
    // Leaving the page earlier would abort the order.
    await expect(page.getByRole('tab', { name: 'Open 1' })).toBeVisible()
    await page.goto('/user/trade-history')
    const row = page.getByRole('row').filter({ hasText: 'BCHBTC' })
    await page.getByRole('button', { name: /^Details of/ }).click()
    await page.getByText('Prove it').click()
    const keptHash = await page
      .getByRole('region', { name: 'Receipt' })
      .getByText(/^[0-9a-f]{64}$/)
      .textContent()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await tape.advance(MINUTE_MS + SECOND_MS)
    await expect(row).toContainText(/Won|Lost|Draw/)

    await page.getByRole('button', { name: /^Details of/ }).click()
    const details = page.getByRole('dialog', { name: 'Buy BCHBTC' })
    await expect(details.getByText(/^BCHBTC (was (higher|lower)|had the same price) at \d\d:\d\d:\d\d /)).toBeVisible()
    await expect(details.getByRole('img', { name: /^The price of BCHBTC from entry to exit/ })).toBeVisible()
    const receipt = details.getByRole('region', { name: 'Receipt' })
    await expect(receipt).toBeHidden()
    await details.getByText('Prove it').click()
    await expect(receipt.getByRole('img', { name: /^Entry: .* after the order/ })).toBeVisible()
    await expect(receipt.getByRole('table', { name: 'Prices around entry and exit' })).toContainText('Exit')
    await expect(receipt.getByText(keptHash!, { exact: true })).toBeVisible()
    await expect(receipt.getByRole('button', { name: 'Copy order hash' })).toBeVisible()
    await expect(receipt).toContainText(/Entry [\d.]+ at \d\d:\d\d:\d\d\.\d{3}, the first price after your order at/)
    const check = receipt.getByRole('button', { name: 'Check it now' })
    await check.focus()
    await page.keyboard.press('Enter')
    await expect(receipt.getByText(`Genuine: all ${Object.keys(STEPS).length} steps passed.`)).toBeVisible()
    await expect(receipt.getByRole('list').getByRole('listitem')).toHaveText(
      Object.values(STEPS).map((title) => new RegExp(`^${title}: passed`)),
    )
    await inBothThemes(page, () => expectAccessible(page))

    const saved = page.waitForEvent('download')
    await receipt.getByRole('button', { name: 'Download receipt' }).click()
    const download = await saved
    expect(download.suggestedFilename()).toMatch(/^receipt-[0-9A-Z]+\.json$/)
    const text = readFileSync(await download.path(), 'utf8')

    await test.step('by a link, until it is revoked', async () => {
      await receipt.getByRole('button', { name: 'Share a link' }).click()
      await expect(receipt.getByText('Anyone with this link sees the receipt')).toBeVisible()
      const link = await receipt.getByText(/\/verify#/).textContent()
      await inBothThemes(page, () => expectAccessible(page))
      for (const width of [320, 390, 1000, 1366, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        await receipt.getByText('Anyone with this link sees the receipt').scrollIntoViewIfNeeded()
        await expectNoSidewaysScroll(page)
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/receipt-shared-${width}.png` })
      }
      const visitor = await browser.newContext({ baseURL: new URL(link!).origin })
      const opened = await visitor.newPage()
      await opened.goto(link!)
      await expect(verdict(opened)).toHaveText('This receipt is genuine')
      await expect(opened.getByText('This receipt was shared by its trader.')).toBeVisible()
      await expect(opened.getByRole('region', { name: 'Result' })).toContainText('Published by the platform')
      await expectAccessible(opened)
      for (const width of [320, 390, 1000]) {
        await opened.setViewportSize({ width, height: 900 })
        await expectNoSidewaysScroll(opened)
        if (process.env.SHOTS) await opened.screenshot({ path: `${process.env.SHOTS}/receipt-opened-${width}.png` })
      }

      await receipt.getByRole('button', { name: 'Stop sharing' }).click()
      await expect(receipt.getByRole('button', { name: 'Share a link' })).toBeVisible()
      await opened.reload()
      await expect(opened.getByText('This link isn’t valid, or its owner no longer shares it.')).toBeVisible()
      await expect(verdict(opened)).toHaveCount(0)
      await visitor.close()
    })

    await test.step('at /verify, which sends nothing once it has the receipt', async () => {
      await openCheck(page)
      await expect(page.getByText(/^Receipts are compared with \d+ published key/)).toBeVisible()
      await expect(page.getByRole('region', { name: 'Table of checkpoints' }).getByRole('row')).not.toHaveCount(1)
      const sent: string[] = []
      page.on('request', (request) => sent.push(request.url()))
      page.on('websocket', (socket) => sent.push(socket.url()))
      await drop(page, text)
      await expect(verdict(page)).toHaveText('This receipt is genuine')
      await expect(verdict(page)).toBeFocused()
      const result = page.getByRole('region', { name: 'Result' })
      await expect(result.getByRole('img', { name: /^Exit: .* before the end/ })).toBeVisible()
      await expect(result).toContainText('Published by the platform')
      await inBothThemes(page, () => expectAccessible(page))
      for (const width of [320, 390, 1000]) {
        await page.setViewportSize({ width, height: 800 })
        await expectNoSidewaysScroll(page)
      }
      await page.setViewportSize({ width: 1440, height: 900 })

      const kept = page.getByLabel('The order hash that you kept (optional)')
      await kept.fill(keptHash!)
      await expect(verdict(page)).toHaveText('This receipt is genuine')
      await kept.fill(keptHash!.slice(1))
      await drop(page, text)
      await expect(verdict(page)).toHaveText('This can’t be checked')
      await expect(result).toContainText('has 64 characters')
      await kept.fill('0'.repeat(64))
      await expect(verdict(page)).toHaveText('This receipt is not genuine')
      await expect(result).toContainText("The order doesn't have the hash that you kept")
      await kept.fill('')
      await expect(verdict(page)).toHaveText('This receipt is genuine')

      const at = text.indexOf('"entry":{') + '"entry":{"sequence":'.length
      await drop(page, text.slice(0, at) + (text[at] === '9' ? '8' : Number(text[at]) + 1) + text.slice(at + 1))
      await expect(verdict(page)).toHaveText('This receipt is not genuine')
      await expect(result.getByText(`Failed: ${STEPS.ticks}`)).toBeVisible()
      await expect(result.getByText(`Not checked: ${STEPS.outcome}`)).toBeVisible()
      await expect(result.getByRole('img')).toHaveCount(0)
      await inBothThemes(page, () => expectAccessible(page))
      expect(sent).toEqual([])
    })

    await test.step('without the published keys', async () => {
      trouble.expect('failed: GET /api/proof/keys')
      trouble.allow('net::ERR')
      await page.route('**/api/proof/keys', (route) => route.abort('failed'))
      await openCheck(page)
      await drop(page, text)
      await expect(verdict(page)).toHaveText('This receipt is genuine')
      await expect(page.getByText('Compare the key ids below with those in your own copy of the keys.')).toBeVisible()
      await page.unroute('**/api/proof/keys')
    })

    await test.step('offline, on a copied file', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'cleartick-receipt-'))
      try {
        writeFileSync(join(folder, 'keys.json'), await (await page.request.get('/api/proof/keys')).text())
        const run = (content: string) => {
          writeFileSync(join(folder, 'receipt.json'), content)
          return spawnSync(process.execPath, [CLI, 'receipt.json', '--keys', 'keys.json'], {
            cwd: folder,
            encoding: 'utf8',
            env: {},
          })
        }
        expect(run(text).stdout).toContain('The receipt is genuine.')
        const turned = run(text.replace('"side":"Buy"', '"side":"Sell"')).stdout
        expect(turned).toContain(`FAILED ${STEPS.order}\n       The side was changed from Buy to Sell`)
      } finally {
        rmSync(folder, { recursive: true })
      }
    })
  },
)

test("the details say that a receipt isn't ready yet, and show it once it is", async ({ page }) => {
  const placed = Date.now() - 70_000
  const at = (ms: number) => new Date(placed + ms).toISOString()
  const tick = (sequence: number, ms: number, price: string) => ({
    sequence,
    time: placed + ms,
    price,
    source: 'simulation',
    frame: sequence,
  })
  const terms = { mode: 'demo', symbol: 'BTCUSDT', percent: 75 }
  await signedIn(page)
  await page.route('**/api/trading?*', (route) => route.fulfill({ json: { status: true, data: [trade] } }))
  await page.route('**/api/complaints/of?*', (route) =>
    route.fulfill({ json: { status: true, data: { complaint: null, refused: null } } }),
  )
  const trade = {
    ...terms,
    trade_id: '0AM5ZMTT80400',
    trading_type: 'Crypto',
    trade_mode: 'Buy',
    amount: 100,
    strike_rate: '75/3',
    duration: 60,
    status: 'Lost',
    trade_time: at(0),
    end_time: at(60_000),
    start_price: 105432.12,
    start_time: at(239),
    end_price: 105432.11,
    exit_time: at(59_959),
    settled_at: at(60_300),
    payout: 0,
    outcome_reason: 'The price ended below the entry.',
    rule_version: 'FT-1',
  }
  const receipt = {
    trade: {
      ...terms,
      id: trade.trade_id,
      side: 'Buy',
      stake: '100.00',
      trade_time: placed,
      end_time: placed + 60_000,
    },
    outcome: { status: 'Lost', payout: '0.00', reason: trade.outcome_reason },
    ticks: {
      before_entry: tick(6, -300, '105430.10'),
      entry: tick(7, 239, '105432.12'),
      change: null,
      exit: tick(80, 59_959, '105432.11'),
      after_exit: tick(81, 60_200, '105440.03'),
    },
    settlement: { checkpoint: { time: placed + 65_000 } },
  }
  let isReady = false
  await page.route('**/receipt', (route) => route.fulfill({ json: { status: true, data: isReady ? receipt : null } }))
  await page.setViewportSize({ width: 320, height: 800 })
  await page.goto('/user/trade-history')
  await page.getByRole('button', { name: /^Details of/ }).click()
  await page.getByText('Prove it').click()
  const section = page.getByRole('region', { name: 'Receipt' })
  await expect(section.getByText('Ready in about a minute')).toBeVisible()
  await expectAccessible(page)
  isReady = true
  await expect(section.getByRole('img', { name: /^Exit: 0\.041 s before the end/ })).toBeVisible()
  await expect(section).toContainText('The exit is below the entry and you bought: the stake was lost.')
  await inBothThemes(page, () => expectAccessible(page))
  // The table isn't cut off, even on narrow screens.
  const box = await section.boundingBox()
  for (const row of await section.getByRole('row').all()) {
    const { x, width } = (await row.boundingBox())!
    expect(x + width).toBeLessThanOrEqual(box!.x + box!.width + 1)
  }
})

test('a file that is not a receipt gets a helpful message, with the keyboard too', async ({ page }) => {
  // Start waiting before the key is pressed, so as not to miss the dialog.
  const photo = { name: 'photo.json', mimeType: 'application/json', buffer: Buffer.from('a photo') }
  page.on('filechooser', (chooser) => void chooser.setFiles(photo))
  await openCheck(page)
  await page.getByLabel('Choose a file').press('Enter')
  await expect(verdict(page)).toHaveText('This can’t be checked')
  await expect(verdict(page)).toBeFocused()
  const result = page.getByRole('region', { name: 'Result' })
  await expect(result).toContainText('a receipt is a JSON file')
  await expectAccessible(page)

  await page.getByLabel('Or paste its text').focus()
  await page.keyboard.insertText('{"type":"invoice"}')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(result).toContainText('not a receipt of a trade')
  await page.getByLabel('Or paste its text').fill('{"type":"cleartick receipt","version":1}')
  await page.getByRole('button', { name: 'Check this text' }).click()
  await expect(verdict(page)).toHaveText('This receipt is not genuine')
  await expect(result).toContainText("The part 'trade' is missing")
})

test('a file dropped before the code has loaded is checked afterwards', async ({ page }) => {
  await page.goto('/verify')
  await expect(page.getByText(/^Receipts are compared with/)).toBeVisible()
  await drop(page, 'a photo')
  await expect(verdict(page)).toHaveText('This can’t be checked')
})

test('receipts of version 1 stay genuine, and one with a byte changed is not', async ({ page }) => {
  const folder = join(import.meta.dirname, '../../../packages/verify/version-1')
  const keys = readFileSync(join(folder, 'keys.json'), 'utf8')
  await page.route('**/api/proof/keys', (route) => route.fulfill({ body: keys, contentType: 'application/json' }))
  await openCheck(page)
  for (const name of readdirSync(folder).filter((file) => /^(won|lost|draw|void)-.*\.json$/.test(file))) {
    const text = readFileSync(join(folder, name), 'utf8')
    await drop(page, text)
    await expect(verdict(page), name).toHaveText('This receipt is genuine')
    await drop(page, text.replace(/"stake":"./, '"stake":"9'))
    await expect(verdict(page), name).toHaveText('This receipt is not genuine')
  }
})
