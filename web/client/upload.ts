/** Receives how much of an upload has been sent, from 0 to 1. */
export type OnProgress = (part: number) => void

/** Sends like `fetch` and reports upload progress, which `fetch` can't do. */
export function upload(url: string, init: RequestInit, onProgress: OnProgress): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(init.method ?? 'POST', url)
    for (const [name, value] of Object.entries(init.headers ?? {})) request.setRequestHeader(name, String(value))
    request.upload.onprogress = ({ lengthComputable, loaded, total }) => {
      if (lengthComputable) onProgress(loaded / total)
    }
    request.onload = () => {
      const type = request.getResponseHeader('content-type') ?? ''
      resolve(new Response(request.responseText, { status: request.status, headers: { 'content-type': type } }))
    }
    request.onerror = () => reject(new TypeError('The upload failed. Check your connection and try again.'))
    request.onabort = () => reject(new DOMException('The upload was cancelled.', 'AbortError'))
    init.signal?.addEventListener('abort', () => request.abort())
    request.send(init.body as XMLHttpRequestBodyInit)
  })
}
