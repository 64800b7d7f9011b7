/** An offer of Chromium, shortened to two formats. */
export const OFFER = `v=0\r
o=- 4611731400430051336 2 IN IP4 127.0.0.1\r
s=-\r
t=0 0\r
a=group:BUNDLE 0 1\r
a=extmap-allow-mixed\r
m=video 9 UDP/TLS/RTP/SAVPF 102 121 96\r
c=IN IP4 0.0.0.0\r
a=rtcp:9 IN IP4 0.0.0.0\r
a=ice-ufrag:n1Ys\r
a=ice-pwd:4mBu8P0Mw2sYXn5PP1Lt9OQB\r
a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}\r
a=setup:actpass\r
a=mid:0\r
a=recvonly\r
a=rtcp-mux\r
a=rtpmap:102 H264/90000\r
a=rtcp-fb:102 nack pli\r
a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f\r
a=rtpmap:121 rtx/90000\r
a=fmtp:121 apt=102\r
a=rtpmap:96 VP8/90000\r
m=audio 9 UDP/TLS/RTP/SAVPF 111 0\r
c=IN IP4 0.0.0.0\r
a=ice-ufrag:n1Ys\r
a=ice-pwd:4mBu8P0Mw2sYXn5PP1Lt9OQB\r
a=setup:actpass\r
a=mid:1\r
a=recvonly\r
a=rtpmap:111 opus/48000/2\r
a=fmtp:111 minptime=10;useinbandfec=1\r
`;
