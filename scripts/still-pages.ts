import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

const STYLE_LINK = /<link rel="stylesheet" href="(\/assets\/[^"#]+)#?"\/>/g

/**
 * Puts a still page's style sheets into the page itself: it is drawn as soon as it has come, without asking for more.
 * Each part's rules once, in their order. The app's own page keeps its links.
 */
export function inlineStyles(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.name !== 'index.html') continue
    const file = join(entry.parentPath, entry.name)
    const html = readFileSync(file, 'utf8')
    const sheets = new Set([...html.matchAll(STYLE_LINK)].map((match) => match[1]!))
    const css = [...sheets].map((sheet) => readFileSync(join(folder, sheet), 'utf8').trim()).join('\n')
    let placed = false
    const filled = html.replace(STYLE_LINK, () => {
      if (placed) return ''
      placed = true
      return `<style>${css}</style>`
    })
    writeFileSync(file, filled)
  }
}

/**
 * A part of a still page that comes later brings its style sheets along: its script asks for them first, and is there
 * when they are.
 */
export function islandStyles(): Plugin {
  return {
    name: 'island-styles',
    enforce: 'post',
    renderChunk(code, chunk) {
      const sheets = [...(chunk.viteMetadata?.importedCss ?? [])]
      if (sheets.length === 0) return null
      const wanted = JSON.stringify(sheets.map((sheet) => `/${sheet}`))
      return {
        code: `${code}\nawait Promise.all(${wanted}.map(href=>new Promise(done=>{const link=document.createElement("link");link.rel="stylesheet";link.href=href;link.onload=link.onerror=done;document.head.append(link)})));`,
        map: null,
      }
    },
  }
}
