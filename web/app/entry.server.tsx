import { renderToReadableStream, renderToStaticMarkup } from 'react-dom/server'
import { type EntryContext, ServerRouter } from 'react-router'
import { Still } from './still.ts'

/**
 * Renders the prerendered pages at build time. The app's fallback is also rendered at `/`, hence `isSpaMode`: only the
 * page itself is static.
 */
export default async function handleRequest(request: Request, status: number, headers: Headers, context: EntryContext) {
  const isStill =
    !context.isSpaMode &&
    context.staticHandlerContext.matches.some((match) => (match.route.handle as { still?: boolean } | undefined)?.still)
  const page = (
    <Still value={isStill}>
      <ServerRouter context={context} url={request.url} />
    </Still>
  )
  headers.set('content-type', 'text/html')
  if (isStill) return new Response(`<!doctype html>${renderToStaticMarkup(page)}`, { status, headers })
  const body = await renderToReadableStream(page)
  await body.allReady
  return new Response(body, { status, headers })
}
