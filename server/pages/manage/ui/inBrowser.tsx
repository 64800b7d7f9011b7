import type { ResultOf } from '../../../contract/commands.ts';
import { t } from '../language.ts';
import { Card } from './card.tsx';
import { useCall } from './hooks.ts';

/** On the glass, in the place of what needs files: where it is done instead. */
export function InBrowser({ title }: { title: string }) {
  const { data } = useCall<ResultOf<'panel.facts'>>('panel.facts');
  return (
    <Card title={title} wide>
      <p class="hint">{t('inBrowser', { url: data?.url ?? '' })}</p>
    </Card>
  );
}
