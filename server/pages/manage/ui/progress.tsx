import { t } from '../language.ts';

interface ProgressProps {
  /** What has left, 0 to 1; then the panel checks it. */
  readonly part: number;
  readonly end: () => void;
}

/** How far an upload is, with the way out. */
export function Progress({ part, end }: ProgressProps) {
  const words = part < 1 ? t('uploading', { part: Math.floor(part * 100) }) : t('unpacking');
  return (
    <div class="row progress">
      <progress aria-label={words} value={part} max={1} data-testid="progress" />
      <span>{words}</span>
      <button type="button" onClick={end}>
        {t('cancel')}
      </button>
    </div>
  );
}
