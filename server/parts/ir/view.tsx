import { useState } from 'preact/hooks';
import type { ResultOf } from '../../contract/commands.ts';
import { call } from '../../pages/manage/client/panel.ts';
import { t } from '../../pages/manage/language.ts';
import { CallShown } from '../../pages/manage/ui/callShown.tsx';
import { Card, Loading, TextField } from '../../pages/manage/ui/card.tsx';
import { useCall } from '../../pages/manage/ui/hooks.ts';
import { attempt } from '../../pages/manage/ui/notice.tsx';

type Ports = ResultOf<'ir.list'>;

/** How long it waits for a key of a remote control, in seconds. */
const LEARN_SECONDS = 20;

/** The infrared ports: learn a key of a remote control, and send it from an emitter. */
export function Infrared() {
  const list = useCall<Ports>('ir.list');
  const [pronto, setPronto] = useState('');
  const [isLearning, setLearning] = useState(false);
  const [told, setTold] = useState('');
  const learn = async () => {
    setLearning(true);
    await attempt(async () => {
      const { pronto: learned, code } = await call('ir.learn', { seconds: LEARN_SECONDS });
      setPronto(learned);
      setTold(
        code === null
          ? t('irLearned')
          : `${t('irLearned')}: ${code.protocol} ${code.address} ${code.command}`,
      );
    });
    setLearning(false);
  };
  const send = (port: string) =>
    attempt(async () => {
      const { ms } = await call('ir.send', { port, pronto });
      setTold(t('irSent', { port, ms }));
    });
  return (
    <Card title={t('part_ir')}>
      <Loading of={list}>
        {({ ports }) => (
          <>
            {ports.some(({ receives }) => receives) && (
              <div class="row">
                <button
                  type="button"
                  disabled={isLearning}
                  data-testid="ir-learn"
                  onClick={() => void learn()}
                >
                  {t('irLearn')}
                </button>
                {isLearning && <p class="hint">{t('irLearning')}</p>}
              </div>
            )}
            <TextField label={t('irCode')} value={pronto} onText={setPronto} testId="ir-code" />
            <div class="row">
              {ports
                .filter(({ sends }) => sends)
                .map(({ port, label }) => (
                  <button
                    key={port}
                    type="button"
                    class="primary"
                    disabled={pronto.trim() === ''}
                    data-testid={`ir-send-${port}`}
                    onClick={() => void send(port)}
                  >
                    {t('irSend', { port: label === '' ? port : label })}
                  </button>
                ))}
              <output class="hint" data-testid="ir-told">
                {told}
              </output>
            </div>
          </>
        )}
      </Loading>
      <CallShown command="ir.send" params={{ pronto }} />
    </Card>
  );
}
