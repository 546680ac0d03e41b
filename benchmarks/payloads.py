"""Made records for measurements of ingest: shaped as LiteLLM writes them, with texts of a given length."""

from random import Random
from typing import Any

WORDS = [
    f"{head}{tail}"
    for head in ("led", "har", "ten", "quo", "bri", "sal", "vo")
    for tail in ("ger", "bour", "der", "te")
]


def payload(dice: Random, number: int, characters: int) -> dict[str, Any]:
    """Returns one LiteLLM record whose prompt has about ``characters`` characters."""
    words = dice.choices(WORDS, k=200)
    text = " ".join([*words, str(number)])
    text = (text + "\n") * (characters // len(text) + 1)
    began = 1788912265.405 + number
    return {
        "id": f"{number:032x}",
        "litellm_call_id": f"call-{number:032x}",
        "call_type": "acompletion",
        "status": "success",
        "stream": False,
        "custom_llm_provider": "openai",
        "startTime": began,
        "endTime": began + 6,
        "completionStartTime": began + 1,
        "model": "openai/model-a",
        "model_group": "model-a",
        "api_base": "http://10.0.0.7:30080/v1",
        "prompt_tokens": characters // 4,
        "completion_tokens": 60,
        "end_user": f"tenant-{number % 40}",
        "metadata": {"user_api_key_hash": f"{number % 40:064x}", "user_api_key_team_id": f"team-{number % 40}"},
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text[:characters]}],
        "response": {
            "id": f"{number:032x}",
            "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": " ".join(words[:50])}}],
        },
        "hidden_params": {"additional_headers": {"llm_provider-x-request-id": f"chatcmpl-{number}"}},
        "error_str": None,
    }
