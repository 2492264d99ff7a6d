import { createContext } from 'react'

/** True while rendering a static page, which is sent without React and with a small script at most. */
export const Still = createContext(false)
