export { Badge, SourceBadge } from './badge.tsx'
export { Brand, BrandMark } from './brand.tsx'
export { Button, ButtonLink, buttonClass } from './button.tsx'
export * from './cents.ts'
export * from './constants.ts'
export { cx } from './cx.ts'
export { Alert } from './feedback/alert.tsx'
export { EmptyState } from './feedback/empty-state.tsx'
export { keepToastsBelow } from './feedback/keep-toasts-below.ts'
export { Modal, QuestionButtons } from './feedback/modal.tsx'
export { NotFoundMessage } from './feedback/not-found.tsx'
export { Skeleton, SkeletonRows } from './feedback/skeleton.tsx'
export { toast } from './feedback/toast.ts'
export { useLingering } from './feedback/use-lingering.ts'
export { figure, figureMetas, titled } from './figure.ts'
export * from './format.ts'
export { Choices } from './forms/choices.tsx'
export { Checkbox, errorText, Field, FieldFrame, Select } from './forms/field.tsx'
export { resolver, useRules } from './forms/form.ts'
export { ImageField } from './forms/image-field.tsx'
export { takesText } from './forms/takes-text.ts'
export { Textarea } from './forms/textarea.tsx'
export { dollarsOf, readUsd, withAmount } from './forms/typed-usd.ts'
export { UploadProgress } from './forms/upload-progress.tsx'
export { typedUsd } from './forms/usd-rule.ts'
export { useObjectUrl } from './forms/use-object-url.ts'
export { CopyText, Fact, Facts } from './lists/facts.tsx'
export { PageList } from './lists/page-list.tsx'
export {
  CardLine,
  type Column,
  ListEnd,
  ListError,
  RecordList,
  RetryNote,
  Stack,
  serialNumber,
} from './lists/record-list.tsx'
export { Loaded } from './loaded.tsx'
export { MethodCard, Methods } from './money/method-card.tsx'
export { MoneyHead, MoneyStatus } from './money/money-status.tsx'
export { QrCode } from './money/qr-code.tsx'
export { Card, Page } from './page.tsx'
export { saveFile } from './save-file.ts'
export { TradeDetails } from './trades/trade-details.tsx'
export { AutoBadge, Change, FromTo, Side, StandingNow, StatusBadge } from './trades/trade-parts.tsx'
export * from './trades/trade-words.ts'
export { useFit } from './use-fit.ts'
export { useLast } from './use-last.ts'
