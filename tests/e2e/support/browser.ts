import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What Playwright needs to start the browser. */
export interface Browser {
  executablePath: string
  env: Record<string, string>
}

/**
 * Unpacks the Chromium that came with the packages, so that no browser has to be on the machine; `CHROMIUM` names
 * another one. Its own settings look for fonts in a fixed folder, and a Chromium that finds no font at all crashes on
 * the first page, so it gets settings of ours that name the fonts it brought.
 */
export async function unpackBrowser(folder: string): Promise<Browser> {
  if (process.env.CHROMIUM) return { executablePath: process.env.CHROMIUM, env: {} }
  const home = join(folder, 'browser')
  mkdirSync(home)
  const before = { ...process.env }
  // The package unpacks below TMPDIR, and brings its libraries only where it takes this for a machine without them.
  process.env.TMPDIR = home
  process.env.AWS_LAMBDA_JS_RUNTIME = 'nodejs22.x'
  const { default: chromium } = await import('@sparticuz/chromium')
  const executablePath = await chromium.executablePath()
  for (const name of ['TMPDIR', 'AWS_LAMBDA_JS_RUNTIME', 'FONTCONFIG_PATH', 'LD_LIBRARY_PATH', 'HOME']) {
    if (before[name] === undefined) delete process.env[name]
    else process.env[name] = before[name]
  }
  const settings = join(home, 'fontconfig')
  mkdirSync(settings)
  writeFileSync(
    join(settings, 'fonts.conf'),
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${join(home, 'fonts')}</dir><cachedir>${join(settings, 'cache')}</cachedir></fontconfig>\n`,
  )
  return {
    executablePath,
    env: { LD_LIBRARY_PATH: join(home, 'al2023', 'lib'), FONTCONFIG_PATH: settings, HOME: home },
  }
}
