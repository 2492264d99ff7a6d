export { Alert } from './alert.tsx'
export { Badge, SourceBadge } from './badge.tsx'
export { Brand, BrandMark } from './brand.tsx'
export { Button, ButtonLink, buttonClass } from './button.tsx'
export * from './cents.ts'
export { Choices } from './choices.tsx'
export * from './constants.ts'
export { cx } from './cx.ts'
export { EmptyState } from './empty-state.tsx'
export { CopyText, Fact, Facts } from './facts.tsx'
export { Checkbox, errorText, Field, FieldFrame, Select } from './field.tsx'
export { figure, figureMetas, titled } from './figure.ts'
export { resolver, useRules } from './form.ts'
export * from './format.ts'
export { ImageField } from './image-field.tsx'
export { keepToastsBelow } from './keep-toasts-below.ts'
export { MethodCard, Methods } from './method-card.tsx'
export { Modal } from './modal.tsx'
export { MoneyHead, MoneyStatus } from './money-status.tsx'
export { NotFoundMessage } from './not-found.tsx'
export { Card, Page } from './page.tsx'
export { PageList } from './page-list.tsx'
export { QrCode } from './qr-code.tsx'
export {
  CardLine,
  type Column,
  ListEnd,
  ListError,
  RecordList,
  RetryNote,
  Stack,
  serialNumber,
} from './record-list.tsx'
export { saveFile } from './save-file.ts'
export { Skeleton, SkeletonRows } from './skeleton.tsx'
export { takesText } from './takes-text.ts'
export { Textarea } from './textarea.tsx'
export { toast } from './toast.ts'
export { TradeDetails } from './trade-details.tsx'
export { AutoBadge, Change, FromTo, Side, StandingNow, StatusBadge } from './trade-parts.tsx'
export * from './trade-words.ts'
export { dollarsOf, readUsd, withAmount } from './typed-usd.ts'
export { UploadProgress } from './upload-progress.tsx'
export { typedUsd } from './usd-rule.ts'
export { useFit } from './use-fit.ts'
export { useLast } from './use-last.ts'
export { useLingering } from './use-lingering.ts'
export { useObjectUrl } from './use-object-url.ts'
