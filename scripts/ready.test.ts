import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'

const NOBODY = 65_534
/** A Node that claims another version or platform. */
const pretending = (claims: { version?: string; platform?: string }) => {
  const lines = [
    claims.version && `Object.defineProperty(process.versions, 'node', { value: '${claims.version}' })`,
    claims.platform && `Object.defineProperty(process, 'platform', { value: '${claims.platform}' })`,
  ]
  return `--import=data:text/javascript,${encodeURIComponent(lines.filter(Boolean).join(';'))}`
}

let folder: string

/** A project whose `npm ci` installs two builders: each writes which Node ran it. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-ready-'))
  chmodSync(folder, 0o755)
  const made = folder
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  mkdirSync(join(folder, 'scripts'))
  mkdirSync(join(folder, 'bin'))
  copyFileSync(join(import.meta.dirname, 'ready.mjs'), join(folder, 'scripts/ready.mjs'))
  const optionalDependencies = { [`node-${process.platform}-${process.arch}`]: '24.0.0' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ optionalDependencies }))
  writeFileSync(join(folder, 'package-lock.json'), '{}')
  program(
    'bin/npm',
    `mkdir -p node_modules/.bin node_modules/@react-router/dev node_modules/vite/bin
cp bin/build.cjs node_modules/@react-router/dev/bin.cjs
cp bin/build.cjs node_modules/vite/bin/vite.js`,
  )
  writeFileSync(
    join(folder, 'bin/build.cjs'),
    `const { mkdirSync, appendFileSync } = require('node:fs')
mkdirSync('build/client', { recursive: true })
mkdirSync('build/desk', { recursive: true })
appendFileSync('build/made', (process.env.PACKAGED ?? 'running') + '\\n')`,
  )
})

function program(path: string, script: string): void {
  writeFileSync(join(folder, path), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

/** Adds the Node of the packages to what `npm ci` installs. */
function withPackagedNode(): void {
  program('bin/packaged', `PACKAGED=packaged exec '${process.execPath}' "$@"`)
  writeFileSync(join(folder, 'bin/npm'), `cp bin/packaged node_modules/.bin/node\n`, { flag: 'a' })
}

function ready({ flags = [], uid }: { flags?: string[]; uid?: number } = {}) {
  const done = spawnSync(process.execPath, [...flags, 'scripts/ready.mjs', 'build'], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: `${join(folder, 'bin')}:/usr/bin:/bin` },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  return { status: done.status, says: done.stderr }
}

const made = () => readFileSync(join(folder, 'build/made'), 'utf8').trim().split('\n')

test('builds with the running Node if it is new enough, and only once', () => {
  expect(ready()).toMatchObject({ status: 0 })
  expect(made()).toEqual(['running', 'running'])
  expect(ready()).toEqual({ status: 0, says: '' })
  expect(made()).toHaveLength(2)
  expect(existsSync(join(folder, '.ready.lock'))).toBe(false)
})

test('builds with the Node of the packages under an older one', () => {
  withPackagedNode()
  expect(ready({ flags: [pretending({ version: '20.0.0' })] })).toMatchObject({ status: 0 })
  expect(made()).toEqual(['packaged', 'packaged'])
})

test('says what to install where the packages contain no Node, and installs nothing', () => {
  const { status, says } = ready({ flags: [pretending({ version: '20.0.0', platform: 'darwin' })] })
  expect(status).toBe(1)
  expect(says).toContain('Install Node 24 from https://nodejs.org')
  expect(existsSync(join(folder, 'node_modules'))).toBe(false)
})

test('says what to install where npm installed no Node, and keeps the packages', () => {
  const older = { flags: [pretending({ version: '20.0.0' })] }
  const install = "the one in its packages isn't installed. Install Node 24 from https://nodejs.org"
  const first = ready(older)
  expect(first.status).toBe(1)
  expect(first.says).toContain(install)
  expect(existsSync(join(folder, '.ready.lock'))).toBe(false)

  writeFileSync(join(folder, 'node_modules/used'), '')
  program('bin/npm', 'rm -r node_modules')
  const second = ready(older)
  expect(second.status).toBe(1)
  expect(second.says).toContain(install)
  expect(ready()).toMatchObject({ status: 0 })
  expect(ready(older).status).toBe(1)
  expect(existsSync(join(folder, 'node_modules/used'))).toBe(true)
})

test('says why a build failed', () => {
  writeFileSync(join(folder, 'bin/build.cjs'), `throw new Error('a broken page')`)
  const { status, says } = ready()
  expect(status).toBe(1)
  expect(says).toContain('a broken page')
  expect(existsSync(join(folder, '.ready.lock'))).toBe(false)
})

/** As a user who can't write to the folder: another one if we are root, otherwise the folder is made read-only. */
function readyAsReader() {
  if (process.getuid?.() === 0) return ready({ uid: NOBODY })
  chmodSync(folder, 0o555)
  try {
    return ready()
  } finally {
    chmodSync(folder, 0o755)
  }
}

test('needs no right to write to a folder that is ready', () => {
  expect(readyAsReader()).toMatchObject({
    status: 1,
    says: expect.stringContaining(`this user can't write to ${folder}`),
  })
  expect(ready()).toMatchObject({ status: 0 })
  expect(readyAsReader()).toEqual({ status: 0, says: '' })
})
