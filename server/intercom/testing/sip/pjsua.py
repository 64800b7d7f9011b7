"""A phone made of pjsua2: commands on stdin, one event a line on stdout. Arguments: UDP port, use of SRTP (0, 1, 2)."""
import json, select, sys
import pjsua2 as pj

def say(event, **more):
    print(json.dumps({'event': event, **more}), flush=True)

class Call(pj.Call):
    def onCallState(self, prm):
        info = self.getInfo()
        say(info.stateText, code=int(info.lastStatusCode))
    def onDtmfDigit(self, prm):
        say('DTMF', digit=prm.digit)

class Account(pj.Account):
    call = None
    def onIncomingCall(self, prm):
        self.call = Call(self, prm.callId)
        say('INCOMING')

def answer(call, code):
    prm = pj.CallOpParam()
    prm.statusCode = code
    call.answer(prm)

def press(call, digit, by_info):
    prm = pj.CallSendDtmfParam()
    prm.digits = digit
    prm.method = pj.PJSUA_DTMF_METHOD_SIP_INFO if by_info else pj.PJSUA_DTMF_METHOD_RFC2833
    call.sendDtmf(prm)

endpoint = pj.Endpoint()
endpoint.libCreate()
config = pj.EpConfig()
config.uaConfig.threadCnt = 0
config.uaConfig.mainThreadOnly = True
# With silence it would send nothing.
config.medConfig.noVad = True
config.logConfig.level = config.logConfig.consoleLevel = 0
endpoint.libInit(config)
udp = pj.TransportConfig()
udp.port = int(sys.argv[1])
udp.boundAddress = '127.0.0.1'
endpoint.transportCreate(pj.PJSIP_TRANSPORT_UDP, udp)
tls = pj.TransportConfig()
tls.boundAddress = '127.0.0.1'
endpoint.transportCreate(pj.PJSIP_TRANSPORT_TLS, tls)
endpoint.libStart()
endpoint.audDevManager().setNullDev()
settings = pj.AccountConfig()
settings.idUri = 'sip:door@127.0.0.1'
settings.mediaConfig.srtpUse = int(sys.argv[2])
settings.mediaConfig.srtpSecureSignaling = 0
account = Account()
account.create(settings)
say('READY')
while True:
    endpoint.libHandleEvents(20)
    if not select.select([sys.stdin], [], [], 0)[0]:
        continue
    words = sys.stdin.readline().split()
    if not words or words[0] == 'quit':
        break
    try:
        if words[0] == 'call':
            account.call = Call(account)
            account.call.makeCall(words[1], pj.CallOpParam(True))
        elif words[0] == 'answer':
            answer(account.call, int(words[1]))
        elif words[0] in ('dtmf', 'info'):
            press(account.call, words[1], words[0] == 'info')
        elif words[0] == 'hangup':
            account.call.hangup(pj.CallOpParam(True))
    except pj.Error as error:
        say('ERROR', words=error.info())
account.call = None
account.shutdown()
endpoint.libDestroy()
