import {
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  type ToggleEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { cx } from './cx.ts'
import { keepToastsBelow } from './feedback/keep-toasts-below.ts'
import { useCloseOnBack } from './feedback/use-dialog.ts'
import styles from './popover.module.css'

interface PopoverProps {
  /** What the button shows. */
  button: ReactNode
  buttonClass: string | undefined
  /** Names the panel; shown on top of it unless `isTitleHidden`. */
  title: string
  isTitleHidden?: boolean
  className: string | undefined
  /** Left out where only the button opens it. */
  open?: boolean
  onOpenChange?: (open: boolean) => void
  /** Opens under a mouse that rests on the button, too. The page beneath stays in reach then; else nothing of it is. */
  opensOnHover?: boolean
  children: ReactNode
  /** Further attributes of the button. */
  'data-long'?: true | undefined
}

/**
 * A button and the panel that it opens, in the top layer: Escape, Back and a press elsewhere close it, and the focus returns to
 * the button. The browser does all of that; only the place is computed here.
 */
export function Popover({ button, buttonClass, title, isTitleHidden, className, children, ...props }: PopoverProps) {
  const id = useId()
  const trigger = useRef<HTMLButtonElement>(null)
  const popup = useRef<HTMLDivElement>(null)
  const [isOwnOpen, setOwnOpen] = useState(false)
  const { open: isOpen = isOwnOpen, onOpenChange: setOpen = setOwnOpen } = props
  const hover = useHover(trigger, popup, props.opensOnHover === true)

  useShown(trigger, popup, isOpen, () => setOpen(false))
  const onToggle = (event: ToggleEvent<HTMLDivElement>) => {
    const isShown = event.newState === 'open'
    setOpen(isShown)
    if (isShown && !hover.isResting()) popup.current?.focus({ preventScroll: true })
  }
  // A press next to the panel is one on what covers the page.
  const onClick = ({ target, currentTarget, clientX, clientY }: MouseEvent<HTMLDivElement>) => {
    const { left, right, top, bottom } = currentTarget.getBoundingClientRect()
    const isInside = clientX >= left && clientX <= right && clientY >= top && clientY <= bottom
    if (target === currentTarget && !isInside) setOpen(false)
  }
  return (
    <>
      <button
        ref={trigger}
        type="button"
        className={buttonClass}
        popoverTarget={id}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        data-long={props['data-long']}
        {...hover.handlers}
      >
        {button}
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape is its keyboard equivalent */}
      <div
        ref={popup}
        id={id}
        popover="auto"
        role="dialog"
        aria-labelledby={`${id}-title`}
        tabIndex={-1}
        className={cx(styles.popup, !props.opensOnHover && styles.alone, className)}
        onClick={onClick}
        onToggle={onToggle}
        onPointerEnter={hover.handlers.onPointerEnter}
        onPointerLeave={hover.handlers.onPointerLeave}
      >
        {isOpen && (
          <>
            <h2 id={`${id}-title`} className={isTitleHidden ? 'visually-hidden' : styles.title}>
              {title}
            </h2>
            {children}
          </>
        )}
      </div>
    </>
  )
}

/** Shows and places the panel while it's open, and hides it. */
function useShown(
  trigger: RefObject<HTMLElement | null>,
  popup: RefObject<HTMLElement | null>,
  isOpen: boolean,
  close: () => void,
): void {
  useCloseOnBack(isOpen, close)
  // Opened or closed from elsewhere.
  useEffect(() => {
    if (popup.current?.matches(':popover-open') === isOpen) return
    if (isOpen) popup.current?.showPopover()
    else popup.current?.hidePopover()
  }, [popup, isOpen])
  useEffect(() => (isOpen ? keepToastsBelow(popup.current) : undefined), [popup, isOpen])
  useEffect(() => (isOpen ? keepPlaced(trigger.current, popup.current) : undefined), [trigger, popup, isOpen])
}

const GAP_PX = 8
/** Room kept to the edges of the window. */
const EDGE_PX = 12

/** Keeps a panel at its button: below it, or above where there is more room; within the window. */
function keepPlaced(trigger: HTMLElement | null, popup: HTMLElement | null): (() => void) | undefined {
  if (!trigger || !popup) return undefined
  const place = () => {
    const at = trigger.getBoundingClientRect()
    const { offsetWidth: width, offsetHeight: height } = popup
    const below = at.bottom + GAP_PX
    const isBelow = below + height <= innerHeight - EDGE_PX || at.top < innerHeight - at.bottom
    // A button in the right half is under the panel's right end.
    const left = at.left + at.width / 2 > innerWidth / 2 ? at.right - width : at.left
    popup.style.left = `${within(left, innerWidth - width)}px`
    popup.style.top = `${within(isBelow ? below : at.top - GAP_PX - height, innerHeight - height)}px`
  }
  place()
  // Its size is known once it's shown, and changes with what it shows; both before anything is painted.
  const observer = new ResizeObserver(place)
  observer.observe(popup)
  addEventListener('resize', place)
  addEventListener('scroll', place, { capture: true, passive: true })
  return () => {
    observer.disconnect()
    removeEventListener('resize', place)
    removeEventListener('scroll', place, { capture: true })
  }
}

const within = (px: number, most: number): number => Math.max(EDGE_PX, Math.min(px, most - EDGE_PX))

const REST_MS = 300
const NO_HANDLERS = { onPointerEnter: undefined, onPointerLeave: undefined, onClick: undefined }

/** Opens the panel under a mouse that rests on the button, and closes it once the mouse has left both. */
function useHover(
  trigger: RefObject<HTMLButtonElement | null>,
  popup: RefObject<HTMLDivElement | null>,
  isOn: boolean,
) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isResting = useRef(false)
  useEffect(() => () => clearTimeout(timer.current), [])
  const later = (act: () => void) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(act, REST_MS)
  }
  const handlers = {
    onPointerEnter: (event: PointerEvent) => {
      if (event.pointerType !== 'mouse') return
      clearTimeout(timer.current)
      if (popup.current?.matches(':popover-open')) return
      later(() => {
        isResting.current = true
        popup.current?.showPopover({ source: trigger.current ?? undefined } as never)
      })
    },
    onPointerLeave: () => {
      // What was opened by a press stays.
      if (!isResting.current) clearTimeout(timer.current)
      else
        later(() => {
          isResting.current = false
          popup.current?.hidePopover()
        })
    },
    onClick: () => {
      clearTimeout(timer.current)
      isResting.current = false
    },
  }
  return { handlers: isOn ? handlers : NO_HANDLERS, isResting: () => isResting.current }
}
