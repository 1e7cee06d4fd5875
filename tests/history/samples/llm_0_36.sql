-- Written by llm 0.36 itself, talking to a made-up server on loopback; only the tables that the import reads.
CREATE TABLE "conversations" (
   "id" TEXT PRIMARY KEY,
   "name" TEXT,
   "model" TEXT
);
CREATE TABLE "attachments" (
   "id" TEXT PRIMARY KEY,
   "type" TEXT,
   "path" TEXT,
   "url" TEXT,
   "content" BLOB
);
CREATE TABLE "responses" (
   "id" TEXT PRIMARY KEY,
   "model" TEXT,
   "prompt" TEXT,
   "system" TEXT,
   "prompt_json" TEXT,
   "options_json" TEXT,
   "response" TEXT,
   "response_json" TEXT,
   "conversation_id" TEXT REFERENCES "conversations"("id"),
   "duration_ms" INTEGER,
   "datetime_utc" TEXT,
   "input_tokens" INTEGER,
   "output_tokens" INTEGER,
   "token_details" TEXT,
   "schema_id" TEXT REFERENCES "schemas"("id")
, "resolved_model" TEXT, "reasoning" TEXT);
CREATE TABLE "fragments" (
   "id" INTEGER PRIMARY KEY,
   "hash" TEXT,
   "content" TEXT,
   "datetime_utc" TEXT,
   "source" TEXT
);
CREATE TABLE "prompt_fragments" (
   "response_id" TEXT REFERENCES "responses"("id"),
   "fragment_id" INTEGER REFERENCES "fragments"("id"),
   "order" INTEGER,
   PRIMARY KEY ("response_id", "fragment_id", "order")
);
CREATE TABLE "tool_calls" (
   "id" INTEGER PRIMARY KEY,
   "response_id" TEXT REFERENCES "responses"("id"),
   "tool_id" INTEGER REFERENCES "tools"("id"),
   "name" TEXT,
   "arguments" TEXT,
   "tool_call_id" TEXT
);
CREATE TABLE "tool_results" (
   "id" INTEGER PRIMARY KEY,
   "response_id" TEXT REFERENCES "responses"("id"),
   "tool_id" INTEGER REFERENCES "tools"("id"),
   "name" TEXT,
   "output" TEXT,
   "tool_call_id" TEXT,
   "instance_id" INTEGER REFERENCES "tool_instances"("id")
, "exception" TEXT);
CREATE TABLE "messages" (
   "hash" TEXT PRIMARY KEY,
   "parent_hash" TEXT REFERENCES "messages"("hash"),
   "role" TEXT,
   "provider_metadata" TEXT
);
CREATE TABLE "parts" (
   "id" INTEGER PRIMARY KEY,
   "message_hash" TEXT REFERENCES "messages"("hash"),
   "position" INTEGER,
   "type" TEXT,
   "tool_name" TEXT,
   "text" TEXT,
   "payload" TEXT
);
CREATE TABLE "threads" (
   "id" TEXT PRIMARY KEY,
   "name" TEXT,
   "tip_message_hash" TEXT REFERENCES "messages"("hash"),
   "forked_from" TEXT REFERENCES "threads"("id"),
   "datetime_utc" TEXT
);
CREATE TABLE "turns" (
   "id" TEXT PRIMARY KEY,
   "thread_id" TEXT REFERENCES "threads"("id"),
   "parent_message_hash" TEXT REFERENCES "messages"("hash"),
   "tip_message_hash" TEXT REFERENCES "messages"("hash"),
   "model" TEXT,
   "resolved_model" TEXT,
   "options_json" TEXT,
   "schema_id" TEXT REFERENCES "schemas"("id"),
   "input_tokens" INTEGER,
   "output_tokens" INTEGER,
   "token_details" TEXT,
   "duration_ms" INTEGER,
   "datetime_utc" TEXT
, "response_json" TEXT);
INSERT INTO "fragments" VALUES(1,'135527b2d611d18a79ab55fd446b8f45385c2668494ae636a5db26d72569a704','fragment text here
','2026-11-30 10:37:08','/tmp/llmhome/frag.txt');
INSERT INTO "messages" VALUES('b2:d2faf0448ab8bfd6d53fc0d7effd22ff',NULL,'system',NULL);
INSERT INTO "messages" VALUES('b2:f850baa851cf91abcba68ca0cf179dda','b2:d2faf0448ab8bfd6d53fc0d7effd22ff','user',NULL);
INSERT INTO "messages" VALUES('b2:3538cbfd5cca722c024a91e4fda96367','b2:f850baa851cf91abcba68ca0cf179dda','assistant',NULL);
INSERT INTO "messages" VALUES('b2:3a7f989845dd73b3a1e06ddfe92b79e7','b2:3538cbfd5cca722c024a91e4fda96367','user',NULL);
INSERT INTO "messages" VALUES('b2:5d9248ef639657ad71e52c2eae52bc1a','b2:3a7f989845dd73b3a1e06ddfe92b79e7','assistant',NULL);
INSERT INTO "messages" VALUES('b2:71352768fcf99f84e3197c4083142c2b',NULL,'user',NULL);
INSERT INTO "messages" VALUES('b2:e4728d083fd9d4c14123127b6177af93','b2:71352768fcf99f84e3197c4083142c2b','assistant',NULL);
INSERT INTO "messages" VALUES('b2:5b9c9f032a1a81d9d904f9022b2a98ee',NULL,'user',NULL);
INSERT INTO "messages" VALUES('b2:3ffbb3f2118822e7851dca83b6beab05','b2:5b9c9f032a1a81d9d904f9022b2a98ee','assistant',NULL);
INSERT INTO "messages" VALUES('b2:9265cd8d50608019aa26b48254fc6553','b2:3ffbb3f2118822e7851dca83b6beab05','tool',NULL);
INSERT INTO "messages" VALUES('b2:179b61e5bf70e6268fb40d650ef2ebb8','b2:9265cd8d50608019aa26b48254fc6553','assistant',NULL);
INSERT INTO "parts" VALUES(1,'b2:d2faf0448ab8bfd6d53fc0d7effd22ff',0,'text',NULL,'Be brief',NULL);
INSERT INTO "parts" VALUES(2,'b2:f850baa851cf91abcba68ca0cf179dda',0,'text',NULL,'Hello there',NULL);
INSERT INTO "parts" VALUES(3,'b2:3538cbfd5cca722c024a91e4fda96367',0,'text',NULL,'Answer to: Hello there',NULL);
INSERT INTO "parts" VALUES(4,'b2:3a7f989845dd73b3a1e06ddfe92b79e7',0,'text',NULL,'And again?',NULL);
INSERT INTO "parts" VALUES(5,'b2:5d9248ef639657ad71e52c2eae52bc1a',0,'text',NULL,'Answer to: And again?',NULL);
INSERT INTO "parts" VALUES(6,'b2:71352768fcf99f84e3197c4083142c2b',0,'text',NULL,NULL,'{"text_ref": [{"fragment": 1}, {"literal": "\nExplain the fragment"}]}');
INSERT INTO "parts" VALUES(7,'b2:e4728d083fd9d4c14123127b6177af93',0,'text',NULL,'Answer to: fragment text here

Explain the fragment',NULL);
INSERT INTO "parts" VALUES(8,'b2:5b9c9f032a1a81d9d904f9022b2a98ee',0,'text',NULL,'Use the tool',NULL);
INSERT INTO "parts" VALUES(9,'b2:3ffbb3f2118822e7851dca83b6beab05',0,'tool_call','upper',NULL,'{"name": "upper", "arguments": {"text": "abc"}, "tool_call_id": "call_1"}');
INSERT INTO "parts" VALUES(10,'b2:9265cd8d50608019aa26b48254fc6553',0,'tool_result','upper',NULL,'{"name": "upper", "output": "ABC", "tool_call_id": "call_1"}');
INSERT INTO "parts" VALUES(11,'b2:179b61e5bf70e6268fb40d650ef2ebb8',0,'text',NULL,'Answer to: ABC',NULL);
INSERT INTO "threads" VALUES('01m8p0f4keye61btcvzr5w39hk','Hello there','b2:5d9248ef639657ad71e52c2eae52bc1a',NULL,'2026-11-30 10:37:03.663132+00:00');
INSERT INTO "threads" VALUES('01m8p0f9byka5acfcw6q5reavy','fragment text here Explain the …','b2:e4728d083fd9d4c14123127b6177af93',NULL,'2026-11-30 10:37:08.532294+00:00');
INSERT INTO "threads" VALUES('01m8p0fb9z9m1ved5s97pzr1qe','Use the tool','b2:179b61e5bf70e6268fb40d650ef2ebb8',NULL,'2026-11-30 10:37:10.584447+00:00');
INSERT INTO "turns" VALUES('01m8p0f4kfxzrech00xzmxhmh0','01m8p0f4keye61btcvzr5w39hk','b2:f850baa851cf91abcba68ca0cf179dda','b2:3538cbfd5cca722c024a91e4fda96367','fake',NULL,NULL,NULL,11,7,'{"prompt_tokens_details": {"cached_tokens": 3}}',190,'2026-11-30T10:37:03.471537+00:00','{"id": "chatcmpl-1", "choices": [{"finish_reason": "stop", "index": 0, "message": {"content": "Answer to: Hello there", "role": "assistant"}}], "created": 1700000000, "model": "fake-2026", "object": "chat.completion", "usage": {"completion_tokens": 7, "prompt_tokens": 11, "total_tokens": 18, "completion_tokens_details": {"reasoning_tokens": 0}, "prompt_tokens_details": {"cached_tokens": 3}}}');
INSERT INTO "turns" VALUES('01m8p0f6tdsta3esre9yz24s9y','01m8p0f4keye61btcvzr5w39hk','b2:3a7f989845dd73b3a1e06ddfe92b79e7','b2:5d9248ef639657ad71e52c2eae52bc1a','fake',NULL,NULL,NULL,11,7,'{"prompt_tokens_details": {"cached_tokens": 3}}',228,'2026-11-30T10:37:05.741900+00:00','{"id": "chatcmpl-1", "choices": [{"finish_reason": "stop", "index": 0, "message": {"content": "Answer to: And again?", "role": "assistant"}}], "created": 1700000000, "model": "fake-2026", "object": "chat.completion", "usage": {"completion_tokens": 7, "prompt_tokens": 11, "total_tokens": 18, "completion_tokens_details": {"reasoning_tokens": 0}, "prompt_tokens_details": {"cached_tokens": 3}}}');
INSERT INTO "turns" VALUES('01m8p0f9c093k19dz3casv43qj','01m8p0f9byka5acfcw6q5reavy','b2:71352768fcf99f84e3197c4083142c2b','b2:e4728d083fd9d4c14123127b6177af93','fake',NULL,NULL,NULL,11,7,'{"prompt_tokens_details": {"cached_tokens": 3}}',179,'2026-11-30T10:37:08.352521+00:00','{"id": "chatcmpl-1", "choices": [{"finish_reason": "stop", "index": 0, "message": {"content": "Answer to: fragment text here\n\nExplain the fragment", "role": "assistant"}}], "created": 1700000000, "model": "fake-2026", "object": "chat.completion", "usage": {"completion_tokens": 7, "prompt_tokens": 11, "total_tokens": 18, "completion_tokens_details": {"reasoning_tokens": 0}, "prompt_tokens_details": {"cached_tokens": 3}}}');
INSERT INTO "turns" VALUES('01m8p0fba2a9vsp5cxms36p98s','01m8p0fb9z9m1ved5s97pzr1qe','b2:5b9c9f032a1a81d9d904f9022b2a98ee','b2:3ffbb3f2118822e7851dca83b6beab05','fake',NULL,NULL,NULL,11,7,'{"prompt_tokens_details": {"cached_tokens": 3}}',184,'2026-11-30T10:37:10.338851+00:00','{"id": "chatcmpl-1", "choices": [{"finish_reason": "tool_calls", "index": 0, "message": {"role": "assistant", "tool_calls": [{"id": "call_1", "function": {"arguments": "{\"text\": \"abc\"}", "name": "upper"}, "type": "function"}]}}], "created": 1700000000, "model": "fake-2026", "object": "chat.completion", "usage": {"completion_tokens": 7, "prompt_tokens": 11, "total_tokens": 18, "completion_tokens_details": {"reasoning_tokens": 0}, "prompt_tokens_details": {"cached_tokens": 3}}}');
INSERT INTO "turns" VALUES('01m8p0fbfv6x711vkz9avcqse3','01m8p0fb9z9m1ved5s97pzr1qe','b2:9265cd8d50608019aa26b48254fc6553','b2:179b61e5bf70e6268fb40d650ef2ebb8','fake',NULL,NULL,NULL,11,7,'{"prompt_tokens_details": {"cached_tokens": 3}}',60,'2026-11-30T10:37:10.523218+00:00','{"id": "chatcmpl-1", "choices": [{"finish_reason": "stop", "index": 0, "message": {"content": "Answer to: ABC", "role": "assistant"}}], "created": 1700000000, "model": "fake-2026", "object": "chat.completion", "usage": {"completion_tokens": 7, "prompt_tokens": 11, "total_tokens": 18, "completion_tokens_details": {"reasoning_tokens": 0}, "prompt_tokens_details": {"cached_tokens": 3}}}');
