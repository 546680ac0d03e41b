--
-- PostgreSQL database dump
--

SET statement_timeout = 0;

CREATE TABLE public."LiteLLM_SpendLogs" (
    request_id text NOT NULL,
    call_type text NOT NULL
);

COPY public."LiteLLM_SpendLogs" (request_id, call_type, api_key, "startTime", "endTime", prompt_tokens, completion_tokens, model, team_id, metadata, messages, response, proxy_server_request, status, litellm_call_id) FROM stdin;
cc44	acompletion	99	2026-09-02 08:45:00.5	2026-09-02 08:45:01	9	2	glm-5	\N	{"user_api_key_team_id": "cedar"}	{}	{"id": "cc44", "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "Two\\nlines and a\\ttab"}}]}	{"messages": [{"role": "user", "content": "From a dump"}]}	success	call-cc44
\.

--
-- PostgreSQL database dump complete
--
