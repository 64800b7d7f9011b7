import { useState } from 'preact/hooks';
import { call } from '../../pages/manage/client/panel.ts';
import { t } from '../../pages/manage/language.ts';
import { CallShown } from '../../pages/manage/ui/callShown.tsx';
import { Card, TextField } from '../../pages/manage/ui/card.tsx';
import { attempt } from '../../pages/manage/ui/notice.tsx';
import { type Writing, WritingChoice } from '../serial/view.tsx';

/** Sends datagrams. */
export function UdpTerminal() {
  const [host, setHost] = useState('');
  const [port, setPort] = useState('');
  const [text, setText] = useState('');
  const [writing, setWriting] = useState<Writing>('text');
  const params = { host: host.trim(), port: Number(port), [writing]: text };
  const [sent, setSent] = useState('');
  const send = () =>
    attempt(async () => {
      const { sent: bytes, host: to, port: at } = await call('udp.send', params);
      setSent(t('udpSent', { bytes, to: `${to}:${at}` }));
    });
  return (
    <Card title={t('udpTerminal')}>
      <p class="hint">{t('udpHint')}</p>
      <div class="row">
        <TextField
          label={t('udpHost')}
          value={host}
          onText={setHost}
          testId="udp-host"
          isNumber
          maxLength={15}
        />
        <TextField label={t('port')} value={port} onText={setPort} testId="udp-port" isNumber maxLength={5} />
        <WritingChoice writing={writing} onWriting={setWriting} testId="udp-writing" />
      </div>
      <TextField label={t('toSend')} value={text} onText={setText} testId="udp-text" />
      <div class="row">
        <button type="button" class="primary" data-testid="udp-send" onClick={() => void send()}>
          {t('send')}
        </button>
        <output class="hint" data-testid="udp-sent">
          {sent}
        </output>
      </div>
      <CallShown command="udp.send" params={params} />
    </Card>
  );
}
