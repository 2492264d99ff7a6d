import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { must } from '#kernel/must.ts'

const STYLE_LINK = /<link rel="stylesheet" href="(\/assets\/[^"#]+)#?"\/>/g

/**
 * Inlines a static page's style sheets, so that it renders without further requests. Includes each chunk's rules once,
 * in their order. The app's own page keeps its links.
 */
export function inlineStyles(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.name !== 'index.html') continue
    const file = join(entry.parentPath, entry.name)
    const html = readFileSync(file, 'utf8')
    const sheets = new Set([...html.matchAll(STYLE_LINK)].map((match) => must(match[1])))
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
 * Loads the style sheets of a static page's lazy parts: the script requests them first, and resolves once they are
 * loaded.
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
